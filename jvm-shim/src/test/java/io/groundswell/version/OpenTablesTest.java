package io.groundswell.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstReader;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is noted of readers by file goes with the readers. */
class OpenTablesTest {
  private final MemoryObjectStore folder = new MemoryObjectStore();

  private List<SstInfo> commits(int count) throws Exception {
    List<SstInfo> files = new ArrayList<>();
    try (EngineServices services = EngineServices.create(1 << 20, 1);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      for (int version = 0; version < count; version++) {
        try (Transaction batch = store.begin(version, null)) {
          byte[] key = ("key-" + version).getBytes(StandardCharsets.UTF_8);
          batch.put(batch.createTable("t", Layout.HASHED, false), 0, key, 0, key.length, key, 0,
              key.length);
          Transaction.Commit done = batch.commit();
          CommitReader
              .read(folder, done.version(), done.id(),
                  folder.length(FileNames.commit(done.version(), done.id())))
              .levels()
              .files()
              .filter(info -> files.stream().noneMatch(f -> f.fileName().equals(info.fileName())))
              .forEach(files::add);
        }
      }
    }
    return files;
  }

  @Test
  void aForgottenFileIsOpenedAnewAndTheOthersStay() throws Exception {
    List<SstInfo> files = commits(3);
    OpenTables tables = new OpenTables(new BlockCache(1 << 20));
    SstReader first = tables.get(folder, files.get(0));
    SstReader second = tables.get(folder, files.get(1));
    assertSame(first, tables.get(folder, files.get(0)));
    assertEquals(2, tables.files());
    tables.forget(folder, files.get(0).fileName());
    assertEquals(1, tables.files());
    assertNotSame(first, tables.get(folder, files.get(0)));
    assertSame(second, tables.get(folder, files.get(1)));
    tables.forget(folder, "0-never-opened.commit");
    files.forEach(info -> tables.forget(folder, info.fileName()));
    assertEquals(0, tables.files());
  }

  @Test
  void aFolderIsForgottenAsAWholeAndOthersStay() throws Exception {
    List<SstInfo> files = commits(3);
    OpenTables tables = new OpenTables(new BlockCache(1 << 20));
    ObjectStore other = folder.child("other");
    files.forEach(info -> tables.get(folder, info));
    SstReader stays = tables.get(other, files.get(0));
    tables.forgetAll(folder);
    assertEquals(1, tables.files());
    assertSame(stays, tables.get(other, files.get(0)));
    tables.forgetAll(folder);
  }

  @Test
  void aStoreThatIsClosedLeavesNoReaders() {
    try (EngineServices services = EngineServices.create(1 << 20, 1)) {
      EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services);
      for (int version = 0; version < 3; version++) {
        try (Transaction batch = store.begin(version, null)) {
          byte[] key = {(byte) version};
          batch.put(batch.createTable("t", Layout.HASHED, false), 0, key, 0, 1, key, 0, 1);
          batch.commit();
        }
      }
      assertTrue(services.openFiles() > 0);
      store.close();
      assertEquals(0, services.openFiles());
    }
  }

  @Test
  void whatAVersionReplacesIsNotedNoLonger() throws Exception {
    List<SstInfo> files = commits(2);
    OpenTables tables = new OpenTables(new BlockCache(1 << 20));
    files.forEach(info -> tables.get(folder, info));
    Version newest = CommitReader.read(folder, 2, id(2), folder.length(name(2)));
    tables.replaced(folder, newest.levels(), Version.EMPTY.levels());
    assertEquals(0, tables.files());
  }

  private String name(long version) throws Exception {
    return folder.list("")
        .stream()
        .map(object -> object.name())
        .filter(name -> FileNames.parse(name).version() == version)
        .findFirst()
        .orElseThrow();
  }

  private String id(long version) throws Exception {
    return FileNames.parse(name(version)).id();
  }
}
