/** What a barrier is told, and what it answers. {@code tools/contract.py} writes the records. */
package io.groundswell.spark.views.contract.barrier;
