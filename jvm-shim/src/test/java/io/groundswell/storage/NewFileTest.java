package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class NewFileTest {
  @TempDir Path folder;

  @Test
  void aFileSystemWithoutLinksIsRefusedByNameAndHasNoTwoWinners() throws Exception {
    Path target = folder.resolve("owner.json");
    NewFile.Link none = (link, existing) -> {
      throw new FileSystemException(
          link.toString(), existing.toString(), "Operation not permitted");
    };
    var threads = Executors.newFixedThreadPool(2);
    List<Callable<EngineException>> rivals = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Path written = Files.writeString(folder.resolve("written" + i), "of rival " + i);
      rivals.add(
          () -> assertThrows(EngineException.class, () -> NewFile.publish(written, target, none)));
    }
    for (var rival : threads.invokeAll(rivals)) {
      EngineException e = rival.get();
      assertEquals(ErrorCode.STORAGE, e.code());
      assertTrue(e.getMessage().contains(target + " by a hard link: Operation not permitted"),
          e.getMessage());
    }
    threads.shutdown();
    assertFalse(Files.exists(target));
  }

  @Test
  void aFileSystemThatCannotSayWhetherItLinksIsRefused() throws IOException {
    Path written = Files.writeString(folder.resolve("written"), "x");
    EngineException e = assertThrows(
        EngineException.class, () -> NewFile.publish(written, folder.resolve("new"), (a, b) -> {
          throw new UnsupportedOperationException();
        }));
    assertTrue(e.getMessage().contains("it has no hard links"), e.getMessage());
  }

  @Test
  void whatIsNotAboutLinksKeepsItsClass() throws IOException {
    Path written = Files.writeString(folder.resolve("written"), "x");
    assertThrows(AccessDeniedException.class,
        () -> NewFile.publish(written, folder.resolve("new"), (a, b) -> {
          throw new AccessDeniedException(a.toString());
        }));
    Files.writeString(folder.resolve("new"), "before");
    assertFalse(NewFile.publish(written, folder.resolve("new")));
    assertEquals("before", Files.readString(folder.resolve("new")));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDiskIsToldWithTheFileAndTheWayOn() throws IOException {
    try (FileOutputStream full = new FileOutputStream("/dev/full");
        PublishedWriter writer = new PublishedWriter("/state/7.sst", full) {
          @Override
          void publish() {}

          @Override
          void discard() {}
        }) {
      IOException e = assertThrows(IOException.class, () -> writer.write(new byte[100]));
      assertEquals("/state/7.sst: No space left on device", e.getMessage());
      assertEquals("[STORAGE] cannot commit version 7: /state/7.sst: No space left on device. Make "
              + "room there, and start again: what was published before is not lost",
          StorageErrors.cannot("commit version 7", e).getMessage());
    }
  }

  @Test
  void aFolderThatMayNotBeWrittenIsToldSo() {
    String text =
        StorageErrors.cannot("write a", new AccessDeniedException("/state/a")).getMessage();
    assertTrue(text.contains("AccessDeniedException: /state/a. Let this process write"), text);
  }
}
