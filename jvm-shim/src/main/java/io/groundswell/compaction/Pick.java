package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import java.util.List;

/**
 * What a picker decided on.
 *
 * @param kind why
 * @param inputs newest first: a part for each sub-level, then for each level
 * @param target the level of the result; 0: it takes the place of whole sub-levels
 */
public record Pick(Kind kind, List<Part> inputs, int target) {
  /** Files of one sub-level ({@code level} 0) or of one level, in key order. */
  public record Part(int level, List<SstInfo> files) {}

  /** Kinds of work; docs/internals/compaction.md says when each is due. */
  public enum Kind {
    /** Sub-levels as commits left them become one. */
    TIER,
    /** Merged sub-levels become one, within the write-amplification rule. */
    INTRA,
    /** A range of keys moves from the oldest sub-levels into the base level. */
    BASE,
    /** A file of a level that is too large is merged into the next one. */
    LEVEL,
    /** A file changes its level as it is: no I/O. */
    MOVE,
    /** A file that is mostly tombstones, with nothing below, is rewritten. */
    RECLAIM,
    /** What stands in an object that is mostly dead is rewritten, so that the object can go. */
    LEAVE,
    /** Everything, on demand. */
    FULL
  }

  public Pick {
    inputs = inputs.stream().filter(part -> !part.files().isEmpty()).toList();
  }

  public List<SstInfo> files() {
    return inputs.stream().flatMap(part -> part.files().stream()).toList();
  }

  long bytes() {
    return files().stream().mapToLong(SstInfo::length).sum();
  }
}
