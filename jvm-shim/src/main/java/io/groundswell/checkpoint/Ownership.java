package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.FencedException;
import io.groundswell.storage.Envelope;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * That a run is the last one that has claimed a checkpoint. Claims are numbered, and each is an
 * object of its own that only one run can create: whoever starts last has the greatest token. A run
 * finds out that it was followed when it looks for the claim after its own.
 */
public final class Ownership {
  /** The folder of claims, inside the folder of Groundswell in a checkpoint. */
  public static final String FOLDER = "owners";

  /** Claims older than that go, but for the newest ones. */
  private static final long KEPT_MILLIS = 30L * 24 * 60 * 60 * 1000;

  private static final int KEPT = 16;
  private static final long MOMENT_NANOS = 100_000_000;

  /** Between two looks for the own claim, where a request is slow. */
  private static final long SELDOM_NANOS = 5L * 60 * 1_000_000_000;
  private static final String KIND = "owner";
  private static final Pattern NAME = Pattern.compile("(\\d{20})\\.json");

  private final ObjectStore owners;
  private final Owner own;

  /**
   * When the last check began that found nobody, by the clock that goes on in a stopped process.
   */
  private volatile long checked = System.nanoTime() - MOMENT_NANOS - 1;

  /** When the own claim was last seen. */
  private volatile long seen = System.nanoTime();

  private Ownership(ObjectStore owners, Owner own) {
    this.owners = owners;
    this.own = own;
  }

  /**
   * Claims a checkpoint; whoever had it is fenced from here on.
   *
   * @param owners the folder of claims
   * @param run for messages
   * @param above the token is greater than that: what an older release has used
   */
  public static Ownership claim(ObjectStore owners, String run, long above, long nowMillis)
      throws IOException {
    List<ObjectInfo> before = owners.list("");
    long last = Math.max(above, newest(before));
    while (true) {
      Owner own = Owner.here(last + 1, run, nowMillis);
      FailPoints.hit("claim.before");
      boolean created = owners.putNew(name(own.token()), Envelope.seal(KIND, own.json()));
      FailPoints.hit("claim.after");
      Mark.CLAIM_IS_TAKEN.hitIf(!created);
      // A name may have been free because its claim is so old that it was removed.
      last = created ? newest(owners.list("")) : last + 1;
      Mark.CLAIM_IS_OVERTAKEN.hitIf(created && last > own.token());
      if (created && last == own.token()) {
        requireCondition(owners, own);
        removeOld(owners, before, nowMillis - KEPT_MILLIS);
        return new Ownership(owners, own);
      }
    }
  }

  /**
   * Tries to create the claim once more, without content. Where that succeeds, two runs can believe
   * that they are last: nothing may be written there.
   */
  private static void requireCondition(ObjectStore owners, Owner own) throws IOException {
    if (owners.putNew(name(own.token()), new byte[0])) {
      Mark.CLAIM_WITHOUT_CONDITION.hit();
      owners.delete(name(own.token()));
      throw new EngineException(ErrorCode.STORAGE,
          owners.location() + " does not honour conditional writes: it created " + name(own.token())
              + " though that was there. So a second driver could not be "
              + "stopped. Use a store that does (S3 by If-None-Match), or another "
              + "checkpointLocation");
    }
  }

  private static void removeOld(ObjectStore owners, List<ObjectInfo> claims, long until)
      throws IOException {
    for (ObjectInfo claim : claims.subList(0, Math.max(0, claims.size() - KEPT))) {
      if (claim.modifiedMillis() < until && tokenOf(claim.name()) > 0) {
        Mark.OLD_CLAIM_REMOVED.hit();
        owners.delete(claim.name());
      }
    }
  }

  private static long newest(List<ObjectInfo> claims) {
    return claims.stream().mapToLong(claim -> tokenOf(claim.name())).max().orElse(0);
  }

  private static String name(long token) {
    return String.format("%020d.json", token);
  }

  private static long tokenOf(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** The number of the claim, greater than those of all owners before. */
  public long token() {
    return own.token();
  }

  /** The token as 20 hex digits, in the manner of ids, for names. */
  public String id() {
    return String.format("%012x%08x", own.token(), 0);
  }

  /**
   * Raises {@link FencedException} if another run has claimed the checkpoint since, and an error
   * with code STORAGE if the checkpoint is gone. Nobody removes the claim of a run that is last, so
   * a claim that is missing was removed with its folder. Where a request is slow, that is looked
   * for every five minutes.
   */
  public void check() throws IOException {
    long asked = System.nanoTime();
    if (owners.has(name(own.token() + 1))) {
      Mark.OWNER_WAS_FOLLOWED.hit();
      throw fenced();
    }
    if (!owners.hasHighLatency() || asked - seen > SELDOM_NANOS) {
      requireClaim();
      seen = asked;
    }
    checked = asked;
  }

  private void requireClaim() throws IOException {
    if (!owners.has(name(own.token()))) {
      Mark.CLAIM_WAS_REMOVED.hit();
      throw new EngineException(ErrorCode.STORAGE,
          "the checkpoint was removed or moved while it was used: "
              + owners.locationOf(name(own.token())) + " is gone. This run, " + own
              + ", ends and publishes nothing more. Put the folder back and start again, or use "
              + "another checkpointLocation");
    }
  }

  /**
   * As {@link #check()}, unless that was asked a moment ago. What is written after a check can be
   * overtaken in any case; where requests are slow, two in a row tell nothing more.
   */
  public void checkOnceInAMoment() throws IOException {
    if (System.nanoTime() - checked > MOMENT_NANOS) {
      check();
    }
  }

  /**
   * Notes in the claim that the run has ended, for who would ask before it claims the checkpoint. A
   * run that was followed changes nothing, nor does one whose checkpoint was removed.
   */
  public void end() throws IOException {
    if (owners.has(name(own.token())) && !owners.has(name(own.token() + 1))) {
      owners.put(name(own.token()), Envelope.seal(KIND, own.json().put("ended", true)));
    }
  }

  private FencedException fenced() throws IOException {
    long newest = newest(owners.list(""));
    String name = name(newest);
    byte[] claim = owners.read(name, 0, (int) owners.length(name));
    Owner now = Owner.of(Envelope.unseal(owners.location() + "/" + name, claim, KIND));
    return new FencedException(own.token(),
        "the checkpoint of " + owners.location() + " was taken over by " + now + "; this run, "
            + own + ", ends and publishes nothing more. Let only one pipeline or query use a "
            + "checkpointLocation at a time");
  }
}
