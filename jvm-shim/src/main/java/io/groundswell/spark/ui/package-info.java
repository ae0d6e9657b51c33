/**
 * A tab of Spark's UI that shows pipelines. Python draws: {@code PageSource} is its end, {@code
 * PipelineTab} puts what it gives behind paths of Spark's own server. Who may read is Spark's to
 * say, by its own filters.
 */
package io.groundswell.spark.ui;
