package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import org.junit.jupiter.api.Test;

class FileNamesTest {
  @Test
  void namesAreTakenApartAgain() {
    String id = FileNames.newId(0x123456789abL);
    assertTrue(id.startsWith("0123456789ab") && id.length() == 20, id);
    String name = FileNames.commit(42, id);
    assertEquals("00000000000000000042-" + id + ".commit", name);
    assertEquals(new FileNames.Parsed(42, id, true), FileNames.parse(name));
    assertEquals(new FileNames.Parsed(42, id, false), FileNames.parse(FileNames.sst(42, id)));
    assertTrue(name.startsWith(FileNames.versionPrefix(42)));
  }

  @Test
  void laterIdsSortBehindEarlierOnes() {
    assertTrue(FileNames.newId(999).compareTo(FileNames.newId(1000)) < 0);
  }

  @Test
  void foreignNamesAreNotTakenForOurs() {
    for (String name : new String[] {"", "1.delta", "_metadata", "00000000000000000042.commit",
             "00000000000000000042-0123456789abcdef0123.tmp",
             "99999999999999999999-0123456789abcdef0123.sst",
             "00000000000000000042-0123456789ABCDEF0123.sst"}) {
      assertNull(FileNames.parse(name), name);
    }
    assertThrows(EngineException.class, () -> FileNames.commit(1, "../../etc/passwd"));
    assertThrows(EngineException.class, () -> FileNames.commit(-1, FileNames.newId(1)));
  }
}
