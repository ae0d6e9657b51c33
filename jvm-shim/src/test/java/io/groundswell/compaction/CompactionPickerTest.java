package io.groundswell.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompactionPickerTest {
  /** Runs newest first, as bytes or bytes/tombstones of as many entries; limit; what is picked. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
          # nothing to do
          ''                     | 4 | nothing
          9                      | 4 | nothing
          1 1 1                  | 4 | nothing
          # equal runs: all, which is the full merge
          1 1 1 1                | 4 | 0..4 TIER
          5 5 5 5 5 5            | 4 | 0..6 TIER
          # the largest would be two thirds or more of the work: it stays out
          1 1 1 1 100            | 4 | 0..4 TIER
          1 1 1 1 8              | 4 | 0..4 TIER
          1 1 1 1 7              | 4 | 0..5 TIER
          1 1 4                  | 3 | 0..2 TIER
          # a large one in the middle divides: the longer group wins, the cheaper of two equal ones
          1 1 100 1 1 1          | 4 | 3..6 TIER
          9 9 100 1 1            | 4 | 3..5 TIER
          2 2 100 1000 1 1       | 4 | 4..6 TIER
          # sizes that grow threefold: no group within the rule, until there are far too many
          1 3 9 27               | 4 | nothing
          1 3 9 27 81 243 729    | 4 | nothing
          1 3 9 27 81 243 729 2187 | 4 | 0..2 FORCED
          9 3 1 3 9 27 81 243 729 2187 | 5 | 0..10 TIER
          # tombstones with nothing below
          10/4                   | 4 | nothing
          10/5                   | 4 | 0..1 RECLAIM
          1 10/5                 | 4 | 1..2 RECLAIM
          10/9 10                | 4 | nothing
          """)
  void picks(String runs, int limit, String expected) {
    Optional<CompactionPicker.Pick> pick = CompactionPicker.pick(shapes(runs), limit);
    assertEquals(
        expected, pick.map(p -> p.from() + ".." + p.to() + " " + p.reason()).orElse("nothing"));
  }

  private static List<RunShape> shapes(String runs) {
    return Arrays.stream(runs.trim().split(" +"))
        .filter(run -> !run.isEmpty())
        .map(run -> {
          String[] parts = run.split("/");
          long bytes = Long.parseLong(parts[0]);
          return new RunShape(bytes, bytes, parts.length > 1 ? Long.parseLong(parts[1]) : 0);
        })
        .toList();
  }

  /**
   * Commits of any sizes, merges that keep all bytes (the worst case): the number of runs stays
   * below twice the limit, and no byte is rewritten more often than sizes grow.
   */
  @Test
  void runsAndWriteAmplificationStayBounded() {
    Seeds.each(20, CompactionPickerTest::simulate);
  }

  private static void simulate(Random random) {
    int limit = 2 + random.nextInt(10);
    List<RunShape> runs = new ArrayList<>();
    long committed = 0;
    long merged = 0;
    int commits = 2_000;
    for (int i = 0; i < commits; i++) {
      long bytes = 1 + (random.nextInt(20) == 0 ? random.nextInt(100_000) : random.nextInt(1_000));
      committed += bytes;
      runs.add(0, new RunShape(bytes, bytes, 0));
      Optional<CompactionPicker.Pick> pick = CompactionPicker.pick(runs, limit);
      if (pick.isPresent()) {
        List<RunShape> inputs = runs.subList(pick.get().from(), pick.get().to());
        long total = inputs.stream().mapToLong(RunShape::bytes).sum();
        merged += total;
        inputs.clear();
        runs.add(pick.get().from(), new RunShape(total, total, 0));
      }
      assertTrue(runs.size() < 2 * limit + 1, "limit " + limit + ", runs " + runs);
    }
    double amplification = (double) merged / committed;
    assertTrue(amplification < 3 * Math.log(commits) / Math.log(1.5),
        "limit " + limit + ": each byte was written " + amplification + " times again");
  }
}
