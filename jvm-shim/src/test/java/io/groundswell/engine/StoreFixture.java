package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.testing.MemoryObjectStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A store over a folder in memory, with one table; tests that commit rows one by one extend it. */
abstract class StoreFixture {
  final MemoryObjectStore folder = new MemoryObjectStore();
  final EngineServices services = EngineServices.create(8 << 20, 1);
  final EpochStore store = EpochStore.at(folder, new StoreOptions(512, 4, 10), services);

  @AfterEach
  void close() {
    store.close();
    services.close();
  }

  EpochStore reopened() {
    return EpochStore.at(folder, new StoreOptions(512, 4, 10), services);
  }

  static void assertCode(ErrorCode code, Runnable call) {
    assertEquals(code, assertThrows(EngineException.class, call::run).code());
  }

  /** Commits one row on top of a version. */
  Transaction.Commit commit(long base, String key, String value) {
    try (Transaction batch = store.begin(base, null)) {
      put(batch, batch.createTable("t", Layout.HASHED, true), key, value);
      return batch.commit();
    }
  }

  static List<String> sorted(Reader reader) {
    TableSpec table =
        reader instanceof Snapshot s ? s.table("t") : ((Transaction) reader).table("t");
    return all(reader.scan(table)).stream().sorted().toList();
  }
}
