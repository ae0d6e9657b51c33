package io.groundswell.spark.views.operator.change;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static io.groundswell.spark.views.operator.Fixture.delete;
import static io.groundswell.spark.views.operator.Fixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class ChangelogOperatorTest {
  private static final List<Column> INPUT = columns(
      "id", DataTypes.IntegerType, "name", DataTypes.StringType, "type", DataTypes.StringType);
  private static final List<Column> OUTPUT = INPUT.subList(0, 2);

  private static Fixture changelog() {
    return new Fixture(
        "{op: 'normalize', mode: 'changelog', key: ['id'], changeType: 'type', source: 'stories',"
            + " state: 'n'}",
        List.of(INPUT), OUTPUT, null);
  }

  @Test
  void changesOfABarrierAreNetted() {
    try (Fixture f = changelog()) {
      assertEquals(List.of(insert(1, "c")),
          f.barrier(List.of(insert(1, "c", "update_postimage"), insert(1, "a", "update_preimage"),
              insert(1, "a", "insert"), insert(1, "b", "update_preimage"),
              insert(1, "b", "update_postimage"))));
      assertEquals(List.of(delete(1, "c"), insert(1, "d")),
          f.barrier(List.of(insert(1, "d", "insert"), insert(1, "c", "delete"))));
    }
  }

  @Test
  void aChangelogThatContradictsTheKeptRowsIsAnError() {
    refused("key {id=1}, which is not there", insert(1, "a", "delete"));
    refused("differs from the one kept", insert(7, "other", "update_preimage"));
    refused("insert or update_postimage of the key {id=7}", insert(7, "again", "insert"));
    refused("which is there already", insert(2, "a", "insert"), insert(2, "b", "insert"));
  }

  private static void refused(String why, Change... changes) {
    try (Fixture f = changelog()) {
      f.barrier(List.of(insert(7, "kept", "insert")));
      EngineException e = assertThrows(EngineException.class, () -> f.barrier(List.of(changes)));
      assertEquals(ErrorCode.INCONSISTENT_CHANGELOG, e.code());
      assertTrue(e.getMessage().contains("source \"stories\""), e.getMessage());
      assertTrue(e.getMessage().contains(why), e.getMessage());
    }
  }

  @Test
  void contradictionsAreMadeToFitWhereThatIsAskedFor() {
    try (Fixture f = tolerantChangelog()) {
      f.barrier(List.of(insert(1, "a", "insert"), insert(2, "b", "insert")));
      assertEquals(List.of(), f.barrier(List.of(insert(9, "x", "delete"))), "nothing to delete");
      assertEquals(
          List.of(), f.barrier(List.of(insert(1, "a", "insert"))), "what is there already");
      assertEquals(List.of(delete(1, "a"), insert(1, "c")),
          f.barrier(List.of(insert(1, "c", "insert"))), "inserted again: replaced");
      assertEquals(List.of(delete(2, "b")), f.barrier(List.of(insert(2, "other", "delete"))),
          "deleted by its key");
      assertEquals(List.of(delete(1, "c"), insert(1, "e")),
          f.barrier(List.of(insert(1, "d", "update_preimage"), insert(1, "e", "update_postimage"))),
          "an update of a row that was never there");
      assertEquals(List.of(insert(2, "b")), f.barrier(List.of(insert(2, "b", "insert"))));
    }
  }

  private static Fixture tolerantChangelog() {
    return new Fixture(
        "{op: 'normalize', mode: 'changelog', key: ['id'], changeType: 'type', source: 'stories',"
            + " state: 'n', tolerate: true}",
        List.of(INPUT), OUTPUT, null);
  }

  @Test
  void anUnknownChangeTypeIsRefused() {
    try (Fixture f = changelog()) {
      EngineException e =
          assertThrows(EngineException.class, () -> f.barrier(List.of(insert(1, "a", "upsert"))));
      assertTrue(e.getMessage().contains("'upsert'"), e.getMessage());
    }
  }

  @Test
  void changesThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      randomChangelogsComeOutAsOneChangeAKey();
      changesOfABarrierAreNetted();
      aChangelogThatContradictsTheKeptRowsIsAnError();
    } finally {
      EngineServices.closeShared();
    }
  }

  @Test
  @Reaches({Mark.SECOND_ROW_DELETED, Mark.SECOND_ROW_STAYS})
  void randomChangelogsComeOutAsOneChangeAKey() {
    Random random = new Random(Fixture.seed("ChangelogOperatorTest"));
    try (Fixture f = changelog()) {
      Map<List<Object>, List<Object>> given = Fixture.table();
      Map<List<Object>, List<Object>> kept = Fixture.table();
      for (int epoch = 0; epoch < 30; epoch++) {
        List<Change> changes = new ArrayList<>();
        for (int i = random.nextInt(15); i > 0; i--) {
          List<Object> key = List.of(random.nextInt(4));
          List<Object> old = kept.get(key);
          boolean stays = random.nextBoolean();
          if (old != null) {
            changes.add(insert(old.get(0), old.get(1), stays ? "update_preimage" : "delete"));
            kept.remove(key);
          }
          if (stays || old == null) {
            List<Object> row = List.of(key.get(0), "v" + random.nextInt(3));
            changes.add(
                insert(row.get(0), row.get(1), old == null ? "insert" : "update_postimage"));
            kept.put(key, row);
          }
        }
        Fixture.apply(given, f.shuffled(random, changes), 0);
        assertEquals(kept, given);
      }
    }
  }
}
