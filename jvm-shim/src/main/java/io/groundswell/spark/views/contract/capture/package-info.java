/**
 * The documents of captured queries: {@code PlanDescription}, a record for each kind of node, and
 * {@code FunctionDescriptions}, which Python wraps first. {@code tools/contract.py} writes all of
 * them.
 *
 * <p>Nodes are records of the sealed interface {@code NodeDescription}.
 */
package io.groundswell.spark.views.contract.capture;
