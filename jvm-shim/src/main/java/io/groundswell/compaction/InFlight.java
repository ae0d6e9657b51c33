package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What running merges and results that no commit took in yet lay claim to.
 *
 * @param files inputs
 * @param outputs where results will be put
 */
record InFlight(Set<SstInfo> files, List<Output> outputs) {
  static final InFlight NONE = new InFlight(Set.of(), List.of());

  /** A span of level 1 or deeper that a result will fill. */
  record Output(int level, KeySpan span) {}

  static InFlight of(Collection<Pick> picks) {
    Set<SstInfo> files = new HashSet<>();
    picks.forEach(pick -> files.addAll(pick.files()));
    return new InFlight(files,
        picks.stream()
            .filter(pick -> pick.target() > 0)
            .map(pick -> new Output(pick.target(), KeySpan.hull(pick.files())))
            .toList());
  }

  boolean touches(Collection<SstInfo> inputs) {
    return inputs.stream().anyMatch(files::contains);
  }

  /** Whether a pick can run beside these. */
  boolean allows(Pick pick) {
    if (touches(pick.files())) {
      return false;
    }
    KeySpan span = KeySpan.hull(pick.files());
    // Not only of its target: nothing may be moved below or into what another one is replacing.
    return pick.target() == 0 || outputs.stream().noneMatch(output -> output.span().overlaps(span));
  }
}
