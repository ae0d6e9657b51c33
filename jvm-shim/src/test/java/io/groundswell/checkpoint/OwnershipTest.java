package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.FencedException;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OwnershipTest {
  private final MemoryObjectStore owners = new MemoryObjectStore();

  @Test
  @Reaches(Mark.OWNER_WAS_FOLLOWED)
  void theOlderOfTwoOwnersIsFencedAndToldByWhom() throws IOException {
    Ownership older = Ownership.claim(owners, "run a", 0, 5);
    older.check();
    Ownership newer = Ownership.claim(owners, "run b", 0, 60_000);
    newer.check();
    FencedException e = assertThrows(FencedException.class, older::check);
    assertEquals(ErrorCode.FENCED, e.code());
    assertEquals(1, e.token());
    String who = "run b (process " + ProcessHandle.current().pid() + " on ";
    assertTrue(e.getMessage().contains(who), e.getMessage());
    assertTrue(e.getMessage().contains("since 1970-01-01T00:01:00Z"), e.getMessage());
    assertTrue(newer.id().compareTo(older.id()) > 0);
  }

  @Test
  @Reaches(Mark.CLAIM_WAS_REMOVED)
  void aRunWhoseCheckpointIsGoneEndsByName() throws IOException {
    Ownership own = Ownership.claim(owners, "run a", 0, 5);
    own.check();
    owners.delete(String.format("%020d.json", own.token()));
    EngineException e = assertThrows(EngineException.class, own::check);
    assertEquals(ErrorCode.STORAGE, e.code());
    assertTrue(e.getMessage().contains("removed or moved while it was used"), e.getMessage());
    assertTrue(e.getMessage().contains("run a (process "), e.getMessage());
  }

  @Test
  void twoChecksInAMomentAreOneRequest() throws Exception {
    List<String> asked = new ArrayList<>();
    Ownership older = Ownership.claim(new ForwardingObjectStore(owners) {
      @Override
      public boolean has(String name) throws IOException {
        asked.add(name);
        return owners.has(name);
      }

      @Override
      public boolean hasHighLatency() {
        return true; // elsewhere a check also looks for the own claim
      }
    }, "run a", 0, 5);
    for (int attempt = 0; attempt < 20 && asked.size() != 1; attempt++) {
      asked.clear(); // a moment may have passed between the two on a busy machine
      older.check();
      older.checkOnceInAMoment();
    }
    assertEquals(1, asked.size(), asked.toString());
    Ownership.claim(owners, "run b", 0, 6);
    Thread.sleep(120);
    assertThrows(FencedException.class, older::checkOnceInAMoment);
    assertThrows(FencedException.class, older::checkOnceInAMoment);
  }

  @Test
  void ofManyAtOnceEachHasItsOwnTokenAndTheLastOneWins() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Callable<Ownership>> claims = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      claims.add(() -> Ownership.claim(owners, "run", 0, 5));
    }
    // One that was overtaken before it could look claims again: tokens may go beyond 64.
    TreeMap<Long, Ownership> byToken = new TreeMap<>();
    for (Future<Ownership> claim : threads.invokeAll(claims)) {
      assertNull(byToken.put(claim.get().token(), claim.get()));
    }
    byToken.pollLastEntry().getValue().check();
    for (Ownership older : byToken.values()) {
      assertThrows(FencedException.class, older::check);
    }
    threads.shutdown();
  }

  /** Another run claims between the look for claims and the own one, and again just after that. */
  @Test
  @Reaches({Mark.CLAIM_IS_TAKEN, Mark.CLAIM_IS_OVERTAKEN})
  void aClaimThatAnotherRunComesBeforeOrAfterIsMadeAgain() throws IOException {
    Ownership own = Ownership.claim(new ForwardingObjectStore(owners) {
      private int claims;

      @Override
      public boolean putNew(String name, byte[] bytes) throws IOException {
        int number = claims++;
        if (number == 0) {
          Ownership.claim(owners, "before", 0, 5);
        }
        boolean created = super.putNew(name, bytes);
        if (number == 1) {
          Ownership.claim(owners, "after", 0, 5);
        }
        return created;
      }
    }, "run", 0, 5);
    assertEquals(4, own.token());
    own.check();
  }

  @Test
  void tokensGoOnAboveTheOwnerOfRelease01WhichIsThenFenced() throws IOException {
    MemoryObjectStore packs = new MemoryObjectStore();
    assertEquals(0, OlderOwner.token(packs));
    String owner =
        "01a20f4b41f796e76530\nrun 1d9bff57-ea93-4393-ab61-3bc7cfbc324a on vm\n0daccb11\n";
    packs.put(PackNames.OWNER, owner.getBytes(StandardCharsets.UTF_8));
    Ownership own = Ownership.claim(owners, "run", OlderOwner.token(packs), 5);
    assertEquals(0x01a20f4b41f7L + 1, own.token());
    assertTrue(own.id().compareTo("01a20f4b41f796e76530") > 0);
    own.check();
    OlderOwner.remove(packs);
    assertEquals(0, OlderOwner.token(packs));
    packs.put(PackNames.OWNER, owner.replace("vm", "vn").getBytes(StandardCharsets.UTF_8));
    EngineException e = assertThrows(EngineException.class, () -> OlderOwner.token(packs));
    assertEquals(ErrorCode.CORRUPTION, e.code());
  }

  @Test
  void aDamagedClaimIsNamed() throws IOException {
    Ownership older = Ownership.claim(owners, "run a", 0, 5);
    Ownership.claim(owners, "run b", 0, 5);
    String name = owners.objects.lastKey();
    byte[] whole = owners.objects.get(name);
    for (int at = 0; at < 8 * whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at / 8] ^= (byte) (1 << at % 8);
      owners.put(name, damaged);
      EngineException e = assertThrows(EngineException.class, older::check);
      assertEquals(ErrorCode.CORRUPTION, e.code(), "bit " + at);
      assertTrue(e.getMessage().contains(name), e.getMessage());
    }
  }

  @Test
  @Reaches(Mark.CLAIM_WITHOUT_CONDITION)
  void aStoreThatReplacesWhatIsThereIsRefusedByName() {
    ObjectStore replaces = new ForwardingObjectStore(owners) {
      @Override
      public boolean putNew(String name, byte[] bytes) throws IOException {
        put(name, bytes);
        return true;
      }
    };
    EngineException e =
        assertThrows(EngineException.class, () -> Ownership.claim(replaces, "run", 0, 5));
    assertEquals(ErrorCode.STORAGE, e.code());
    assertTrue(e.getMessage().contains(owners.location() + " does not honour conditional writes"));
    assertEquals(0, owners.objects.size());
  }

  @Test
  @Reaches(Mark.OLD_CLAIM_REMOVED)
  void theClaimsOfLongAgoGo() throws IOException {
    for (int i = 0; i < 40; i++) {
      Ownership.claim(owners, "run", 0, System.currentTimeMillis()); // the store says 1970 of all
    }
    assertFalse(owners.objects.size() > 18, owners.objects.keySet().toString());
    assertEquals(41, Ownership.claim(owners, "run", 0, 5).token());
  }
}
