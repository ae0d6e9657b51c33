/**
 * Everything Python calls for incremental views, and the wiring of their dataflows to Spark.
 *
 * <p><b>Capture.</b> {@link io.groundswell.spark.bridge.StandIns} puts empty, opaque batch
 * relations where a query reads streams, so that any SQL analyses and optimises; {@link
 * io.groundswell.spark.bridge.PlanCapture} optimises the result with the rules off that suit only
 * queries that end, keeps nodes and expressions under ids, and gives Python a description.
 *
 * <p>Invariant: no row is read while a query is captured, and what Python gets and gives is JSON;
 * expressions never leave the JVM.
 */
package io.groundswell.spark.bridge;
