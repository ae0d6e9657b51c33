package io.groundswell.spark.views.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.StateCommits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What documents refuse; that both sides agree is Python's test. */
class DocumentsTest {
  private static final String COMMIT =
      "{\"folder\":\"/s\",\"commits\":[{\"version\":7,\"id\":\"00ab\",\"rows\":12,\"bytes\":345}]}";

  private static void refused(String from, String to, String said) {
    EngineException e = assertThrows(
        EngineException.class, () -> Documents.read(COMMIT.replace(from, to), StateCommits.class));
    assertTrue(e.getMessage().contains(said), e.getMessage());
  }

  @Test
  void aDocumentIsReadAsItWasWritten() {
    StateCommits read = Documents.read(COMMIT, StateCommits.class);
    assertEquals(new StateCommits("/s", List.of(new CommitRef(7, "00ab", 12, 345))), read);
    assertEquals(COMMIT, Documents.write(read));
  }

  @Test
  void whatIsMissingOrUnknownOrOfAnotherTypeIsRefused() {
    refused("\"rows\":12,", "", "rows");
    refused("\"id\":\"00ab\",", "", "id");
    refused("\"rows\":12", "\"rows\":12,\"size\":3", "size");
    refused("\"rows\":12", "\"rows\":null", "null");
    refused("\"rows\":12", "\"rows\":1.5", "1.5");
    refused("\"rows\":12", "\"rows\":\"12\"", "String");
    refused("\"/s\"", "null", "folder");
    refused("[{", "[null,{", "commits[]");
    refused("]}", "]}{}", "Trailing");
  }
}
