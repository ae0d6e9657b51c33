package io.groundswell.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What pickers pick and what the validator refuses, as drawn in the resource files. */
class PickerPicturesTest {
  @TestFactory
  @Reaches({Mark.SPARSE_OBJECT_LEFT, Mark.TOMBSTONES_RECLAIMED})
  Stream<DynamicTest> pickers() throws IOException {
    return cases("/compaction/pickers.txt", PickerPicturesTest::picks);
  }

  @TestFactory
  @Reaches(Mark.FILE_MOVED_BY_COMMIT)
  Stream<DynamicTest> moves() throws IOException {
    return cases("/compaction/moves.txt", PickerPicturesTest::picks);
  }

  @TestFactory
  Stream<DynamicTest> validator() throws IOException {
    return cases("/compaction/validator.txt", PickerPicturesTest::validates);
  }

  private interface Check {
    void run(LevelPictures.Case one);
  }

  private static Stream<DynamicTest> cases(String resource, Check check) throws IOException {
    List<LevelPictures.Case> all = LevelPictures.read(resource);
    assertTrue(all.size() > 4, "cases of " + resource);
    return all.stream().map(one -> DynamicTest.dynamicTest(one.title(), () -> check.run(one)));
  }

  private static void picks(LevelPictures.Case one) {
    LevelPictures.Drawn drawn = LevelPictures.tree(one.before());
    CompactionOptions options = new CompactionOptions(
        (int) one.number("subLevels"), one.number("file"), one.number("base"), Long.MAX_VALUE);
    String busy = one.settings().get("busy");
    InFlight inFlight = busy == null ? InFlight.NONE
                                     : InFlight.of(List.of(LevelPictures.pick(filled(drawn, busy),
                                           Pick.Kind.FULL, (int) one.number("busyTarget"))));
    Set<String> sparse = Set.of(one.settings().getOrDefault("sparse", "-").split(""));
    Optional<Pick> pick = one.settings().containsKey("move")
        ? CompactionPicker.pickMove(drawn.levels(), inFlight, options)
        : CompactionPicker.pick(drawn.levels(), inFlight, options, 1_000, sparse);
    assertEquals(one.expected(), pick.map(p -> p.kind() + " to L" + p.target()).orElse("nothing"));
    List<SstInfo> files = pick.map(Pick::files).orElse(List.of());
    assertEquals(String.join("\n", pick.isPresent() ? one.after() : one.before()),
        String.join("\n", LevelPictures.draw(one.before(), files)));
  }

  private static LevelPictures.Drawn filled(LevelPictures.Drawn drawn, String names) {
    return new LevelPictures.Drawn(drawn.levels(),
        Arrays.stream(names.split("")).map(drawn.byName()::get).toList(), drawn.byName());
  }

  private static void validates(LevelPictures.Case one) {
    LevelPictures.Drawn drawn = LevelPictures.tree(one.before());
    Pick pick = LevelPictures.pick(drawn, Pick.Kind.FULL, (int) one.number("target"));
    String violation = PickValidator.violation(drawn.levels(), pick);
    if (one.expected().startsWith("allowed")) {
      assertNull(violation);
      assertEquals(one.expected(),
          PickValidator.nothingBelow(drawn.levels(), pick) ? "allowed, nothing below" : "allowed");
    } else {
      assertTrue(violation != null && violation.contains(one.expected()), violation);
    }
  }
}
