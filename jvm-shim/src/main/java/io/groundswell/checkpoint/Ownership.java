package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The one run that may release batches of a checkpoint. Whoever starts claims it; the one before
 * finds out when it looks.
 *
 * @param id 20 hex digits, greater than those of all owners before
 * @param who for messages: run and host
 */
public record Ownership(String id, String who) {
  /** Claims the checkpoint. */
  public static Ownership claim(ObjectStore packs, String who, long nowMillis) throws IOException {
    Ownership before = read(packs);
    long millis =
        before == null ? nowMillis : Math.max(nowMillis, FileNames.millisOf(before.id) + 1);
    Ownership own = new Ownership(FileNames.newId(millis), who);
    packs.put(PackNames.OWNER, own.text().getBytes(StandardCharsets.UTF_8));
    FailPoints.hit("claim.after");
    return own;
  }

  /** Raises {@code FENCED} if another run has claimed the checkpoint since. */
  public void check(ObjectStore packs) throws IOException {
    Ownership now = read(packs);
    if (now == null || !now.id.equals(id)) {
      throw new EngineException(ErrorCode.FENCED,
          "the checkpoint with packs in " + packs.location() + " was taken over by "
              + (now == null ? "somebody who deleted its owner" : now.who) + "; this run (" + who
              + ") may record nothing more. Let only one query use a checkpoint");
    }
  }

  /** As it is stored: id, who, and the checksum of both in hex digits, a line each. */
  private String text() {
    String named = id + "\n" + who + "\n";
    byte[] bytes = named.getBytes(StandardCharsets.UTF_8);
    return named + String.format("%08x\n", Checksum.of(bytes, 0, bytes.length));
  }

  private static Ownership read(ObjectStore packs) throws IOException {
    int length;
    try {
      length = (int) packs.length(PackNames.OWNER);
    } catch (FileNotFoundException e) {
      return null;
    }
    String text = new String(packs.read(PackNames.OWNER, 0, length), StandardCharsets.UTF_8);
    String[] lines = text.split("\n");
    // Else a damaged id would look like another owner's.
    if (lines.length != 3 || !text.equals(new Ownership(lines[0], lines[1]).text())) {
      throw new EngineException(ErrorCode.CORRUPTION,
          packs.location() + "/" + PackNames.OWNER + " names no owner: '" + text + "'");
    }
    return new Ownership(lines[0], lines[1]);
  }
}
