package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The owner of a checkpoint as release 0.1 noted it: one object beside the packs that each run
 * overwrote. A run of that release is fenced when the object is gone.
 */
public final class OlderOwner {
  private OlderOwner() {}

  /** What tokens must be above so that newer owners sort after it; 0 if there is none. */
  public static long token(ObjectStore packs) throws IOException {
    int length;
    try {
      length = (int) packs.length(PackNames.OWNER);
    } catch (FileNotFoundException e) {
      return 0;
    }
    byte[] bytes = packs.read(PackNames.OWNER, 0, length);
    String text = new String(bytes, StandardCharsets.UTF_8);
    String[] lines = text.split("\n");
    if (lines.length != 3 || !FileNames.isId(lines[0]) || !text.equals(written(lines))) {
      throw new EngineException(ErrorCode.CORRUPTION,
          packs.location() + "/" + PackNames.OWNER + " names no owner: '" + text
              + "'. Restore the file, or delete it if no other query uses the checkpoint");
    }
    return FileNames.millisOf(lines[0]);
  }

  /** Id, who, and the checksum of both in hex digits, a line each. */
  private static String written(String[] lines) {
    String named = lines[0] + "\n" + lines[1] + "\n";
    byte[] bytes = named.getBytes(StandardCharsets.UTF_8);
    return named + String.format("%08x\n", Checksum.of(bytes, 0, bytes.length));
  }

  /** Fences runs of that release. */
  public static void remove(ObjectStore packs) throws IOException {
    packs.delete(PackNames.OWNER);
  }
}
