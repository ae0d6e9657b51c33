package io.groundswell.storage;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Writes to several tables of a pipeline that were committed together: one document in {@code
 * transactions} names the files of a transaction and their places, and whoever finds it moves them.
 * The other half is {@code groundswell.runtime.transactions}; docs/format.md has the names.
 *
 * <p>The run that reads the tables moves the files before it looks into any of them, so it finds
 * all or none. For {@link #move} it has to show that it still has the location, after the documents
 * were listed: what a run that was followed still moves was committed before the next run began,
 * and that one has moved it before it looked into a table for the first time.
 */
public final class Transactions {
  private static final String FOLDER = "transactions";
  private static final String KIND = "transaction";
  private static final String COMMITTED = "commit-";

  /** That a run still has its location; raises an error if not. */
  public interface Check {
    void run() throws IOException;
  }

  private final String home;
  private final ObjectStore store;
  private final Configuration conf;

  /**
   * @param home the pipeline's folder in the checkpointLocation
   */
  public Transactions(String home, Configuration conf) throws IOException {
    this.home = home;
    this.store = ObjectStores.open(home + "/" + FOLDER, conf);
    this.conf = conf;
  }

  /** Brings the files of all committed transactions to their tables, in the order of commits. */
  public void move(Check check) throws IOException {
    List<String> committed = store.list(COMMITTED)
                                 .stream()
                                 .map(ObjectStore.ObjectInfo::name)
                                 .filter(name -> name.endsWith(".json"))
                                 .sorted()
                                 .toList();
    if (committed.isEmpty()) {
      return;
    }
    check.run();
    for (String name : committed) {
      if (store.has(name)) { // else another run was faster
        move(name);
      }
    }
  }

  private void move(String name) throws IOException {
    int length = (int) store.length(name);
    JsonNode content = Envelope.unseal(store.locationOf(name), store.read(name, 0, length), KIND);
    FailPoints.hit("transaction.found");
    for (JsonNode part : content.path("parts")) {
      String target = String.join(
          "/", home, "tables", part.path("table").asText(), "rows", part.path("file").asText());
      new StagedPart(String.join("/", home, FOLDER, part.path("folder").asText()), conf)
          .publishIfThere(target);
      FailPoints.hit("transaction.part");
    }
    FailPoints.hit("transaction.moved");
    store.delete(name);
    new FileTree(home + "/" + FOLDER + "/" + content.path("id").asText(), conf).prune();
    FailPoints.hit("transaction.over");
  }
}
