package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitRefTest {
  private static ObjectNode epoch(List<CommitRef> commits) {
    ObjectNode result = Json.object();
    commits.forEach(commit -> result.withArray("s").add(commit.json()));
    return result;
  }

  @Test
  void whatAnEpochSaysIsReadBack() {
    List<CommitRef> commits = List.of(new CommitRef(7, "00ab", 12, 345), CommitRef.EMPTY);
    assertEquals(commits, CommitRef.list(Json.parse(epoch(commits).toString()), "s", 2));
  }

  @Test
  void aStateTheEpochDoesNotKnowIsNotAnEmptyOne() {
    assertNull(CommitRef.list(Json.object(), "s", 2));
  }

  @Test
  void anotherNumberOfPartitionsIsRefused() {
    ObjectNode base = epoch(CommitRef.empty(2));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> CommitRef.list(base, "s", 4));
    assertTrue(e.getMessage().contains("2 partitions") && e.getMessage().contains("with 4"));
  }
}
