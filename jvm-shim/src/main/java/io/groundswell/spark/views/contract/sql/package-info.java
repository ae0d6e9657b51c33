/**
 * What Spark's parser and catalog ask Python, and the answers. {@code tools/contract.py} writes
 * the records.
 */
package io.groundswell.spark.views.contract.sql;
