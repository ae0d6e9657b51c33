package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.EpochStore;
import io.groundswell.spark.views.contract.barrier.MergedPart;
import java.io.Serializable;
import java.util.Base64;
import java.util.List;

/**
 * What another process has merged for a state, on its way to the tasks that commit to it.
 *
 * @param elsewhere whether tasks leave merges to such processes
 */
public record MergedParts(boolean elsewhere, List<MergedPart> parts) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Hands a partition's merges to its store, whose next commit takes in what fits. */
  public void giveTo(EpochStore store, int partition) {
    store.merges().elsewhere(elsewhere);
    for (MergedPart part : parts) {
      if (part.partition() == partition) {
        store.merges().accept(Base64.getDecoder().decode(part.record()));
      }
    }
  }
}
