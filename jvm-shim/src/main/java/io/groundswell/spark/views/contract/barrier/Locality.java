// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import java.io.Serializable;

/**
 * Whether states were worked on where they are open.
 *
 * @param written partitions of states that the barrier has written
 * @param moved of those, the ones that another executor had written last
 */
public record Locality(long written, long moved) implements Serializable {
  private static final long serialVersionUID = 1L;
}
