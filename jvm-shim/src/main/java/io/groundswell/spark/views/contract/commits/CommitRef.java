// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import java.io.Serializable;

/**
 * Where one partition of a state stands at the end of one epoch.
 *
 * @param version the partition's own count of commits; 0: never written
 * @param id which of the attempts at that version; null with version 0
 * @param rows live rows of its counted tables
 * @param bytes of the version in storage
 */
public record CommitRef(long version, String id, long rows, long bytes) implements Serializable {
  private static final long serialVersionUID = 1L;
}
