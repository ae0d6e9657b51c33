package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.version.Levels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a commit takes in.
 *
 * @param levels of its base, with the results in place
 * @param safeEpoch of its base, raised by what the results dropped
 * @param results that are in there
 */
public record MergeOffer(Levels levels, long safeEpoch, List<CompactionResult> results) {
  /** Of results in these levels; files that can change their level without I/O do so, too. */
  static MergeOffer of(Levels levels, long safeEpoch, List<CompactionResult> results,
      InFlight inFlight, CompactionOptions options, CompactionMetrics metrics) {
    Levels moved = levels;
    for (Optional<Pick> move = CompactionPicker.pickMove(moved, inFlight, options);
        move.isPresent(); move = CompactionPicker.pickMove(moved, inFlight, options)) {
      List<SstInfo> files = move.get().files();
      moved = moved.without(files).with(move.get().target(), files);
      metrics.of(Pick.Kind.MOVE).increment();
    }
    return new MergeOffer(moved, safeEpoch, List.copyOf(results));
  }

  /** Files that the commit has to write, by the provisional names that the levels give them. */
  public Map<String, byte[]> carried() {
    Map<String, byte[]> all = new LinkedHashMap<>();
    results.forEach(result -> all.putAll(result.carried()));
    return all;
  }
}
