package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.testing.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever finds a committed transaction brings all of it to its tables, whatever was done. */
class TransactionsTest {
  @TempDir Path folder;

  private static Configuration files(boolean seenWhenWhole) {
    Configuration conf = FaultyFileSystem.conf("staged");
    conf.setBoolean("fs.staged.renames", !seenWhenWhole);
    return conf;
  }

  private Path staged(String id, String table) {
    return folder.resolve("transactions/" + id + "/" + table + "/part-0.parquet");
  }

  private Path arrived(String id, String table) {
    return folder.resolve("tables/" + table + "/rows/" + id + "-" + table + ".parquet");
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** A transaction that writes its id to two tables. */
  private Path commit(String id) throws IOException {
    ObjectNode content = JsonNodeFactory.instance.objectNode().put("id", id);
    for (String table : new String[] {"a", "b"}) {
      write(staged(id, table), id);
      content.withArray("parts")
          .addObject()
          .put("folder", id + "/" + table)
          .put("table", table)
          .put("file", arrived(id, table).getFileName().toString());
    }
    Path document = folder.resolve("transactions/commit-" + id + ".json");
    Files.write(document, Envelope.seal("transaction", content));
    return document;
  }

  private Transactions transactions(boolean seenWhenWhole) throws IOException {
    return new Transactions("staged:" + folder, files(seenWhenWhole));
  }

  private void assertArrived(String id) throws IOException {
    for (String table : new String[] {"a", "b"}) {
      assertEquals(id, Files.readString(arrived(id, table)));
    }
    assertFalse(Files.exists(folder.resolve("transactions/commit-" + id + ".json")));
    assertFalse(Files.exists(folder.resolve("transactions/" + id)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allOfThemComeToTheirTables(boolean seenWhenWhole) throws IOException {
    commit("1");
    commit("2");
    write(staged("3", "a"), "not committed");
    transactions(seenWhenWhole).move(() -> {});
    assertArrived("1");
    assertArrived("2");
    assertTrue(Files.exists(staged("3", "a")));
    assertFalse(Files.exists(arrived("3", "a")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatACrashLeftIsFinished(boolean seenWhenWhole) throws IOException {
    Path document = commit("1");
    byte[] committed = Files.readAllBytes(document);
    Files.createDirectories(arrived("1", "a").getParent());
    if (seenWhenWhole) { // copied, and not removed
      Files.copy(staged("1", "a"), arrived("1", "a"));
    } else {
      Files.move(staged("1", "a"), arrived("1", "a"));
    }
    transactions(seenWhenWhole).move(() -> {});
    assertArrived("1");
    // Before the document was removed: a barrier has taken one of the files since, and it is gone.
    Files.write(document, committed);
    Files.delete(arrived("1", "b"));
    transactions(seenWhenWhole).move(() -> {});
    assertFalse(Files.exists(document) || Files.exists(arrived("1", "b")));
  }

  @Test
  void aRunThatWasFollowedMovesNothing() throws IOException {
    Path document = commit("1");
    assertThrows(IllegalStateException.class,
        () -> transactions(false).move(() -> { throw new IllegalStateException("followed"); }));
    assertTrue(Files.exists(document) && Files.exists(staged("1", "a")));
    transactions(false).move(() -> commit("2")); // after the look: it is for the next one
    assertArrived("1");
    assertTrue(Files.exists(staged("2", "a")));
  }

  @Test
  void nobodyIsAskedWhereThereIsNothing() throws IOException {
    transactions(false).move(() -> { throw new IllegalStateException("asked"); });
  }

  @Test
  void aDocumentThatIsDamagedIsNamed() throws IOException {
    Path document = commit("1");
    Files.writeString(document, "{");
    Exception error =
        assertThrows(RuntimeException.class, () -> transactions(false).move(() -> {}));
    assertTrue(error.getMessage().contains("commit-1.json"), error.getMessage());
    assertArrayEquals(new byte[] {0x7b}, Files.readAllBytes(document));
  }
}
