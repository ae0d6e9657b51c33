package io.groundswell.checkpoint;

import java.io.Serializable;
import java.util.Map;

/**
 * Where a commit of one store is, and what it needs.
 *
 * @param store path of the store's folder from the folder that all stores are in
 * @param id the commit's
 * @param pack the object that it is a region of; null: an object of its own in the store's folder
 * @param offset of the region
 * @param length of the region
 * @param packs all packs that the version needs, and how many bytes its files have in each
 */
public record FinishedCommit(String store, String id, String pack, long offset, long length,
    Map<String, Long> packs) implements Serializable {
  public FinishedCommit {
    packs = Map.copyOf(packs);
  }
}
