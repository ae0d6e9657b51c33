// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * How much a source's part of a batch is, before it is read.
 *
 * @param rows that were counted
 * @param bytes of files whose rows were not counted
 * @param known whether that is all of it
 */
public record BatchSize(long rows, long bytes, boolean known) implements Serializable {
  private static final long serialVersionUID = 1L;
}
