package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class OwnershipTest {
  private final MemoryObjectStore packs = new MemoryObjectStore();

  @Test
  void theOlderOfTwoOwnersIsFencedAndToldByWhom() throws IOException {
    Ownership older = Ownership.claim(packs, "run a on x", 5);
    older.check(packs);
    Ownership newer = Ownership.claim(packs, "run b on y", 5);
    newer.check(packs);
    EngineException e = assertThrows(EngineException.class, () -> older.check(packs));
    assertEquals(ErrorCode.FENCED, e.code());
    assertEquals(true, e.getMessage().contains("run b on y"), e.getMessage());
  }

  @Test
  void noDamagedOwnerLooksLikeAnother() throws IOException {
    Ownership own = Ownership.claim(packs, "run a on x", 5);
    byte[] whole = packs.read(PackNames.OWNER, 0, (int) packs.length(PackNames.OWNER));
    for (int at = 0; at < 8 * whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at / 8] ^= (byte) (1 << at % 8);
      packs.put(PackNames.OWNER, damaged);
      EngineException e = assertThrows(EngineException.class, () -> own.check(packs));
      assertEquals(ErrorCode.CORRUPTION, e.code(), "bit " + at);
    }
  }
}
