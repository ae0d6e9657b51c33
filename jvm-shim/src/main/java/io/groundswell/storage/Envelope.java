package io.groundswell.storage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The envelope of every document: what it is, of which format, and a checksum of all its bytes.
 * docs/format.md has the bytes; the other half of it is {@code groundswell.format.envelope}.
 */
public final class Envelope {
  public static final int FORMAT = 2;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] HEAD = bytes("{\"magic\":\"groundswell\",\"formatVersion\":");
  private static final byte[] LABEL = bytes(",\"checksum\":\"");
  private static final byte[] END = bytes("\"}");
  private static final int DIGITS = 8;

  private Envelope() {}

  /** A document's bytes. */
  public static byte[] seal(String kind, JsonNode content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(HEAD);
    out.writeBytes(bytes(FORMAT + ",\"kind\":\"" + kind + "\",\"content\":" + content));
    out.writeBytes(LABEL);
    out.writeBytes(checksum(out.toByteArray(), out.size()));
    out.writeBytes(END);
    return out.toByteArray();
  }

  /**
   * What a document says: {@code CORRUPTION} if a byte is not as it was written or it is of another
   * kind, {@code FORMAT_TOO_NEW} if a later release wrote it.
   *
   * @param where the file, for messages
   */
  public static JsonNode unseal(String where, byte[] data, String kind) {
    int body = data.length - DIGITS - END.length;
    if (body < HEAD.length + LABEL.length || !startsAt(data, 0, HEAD)
        || !startsAt(data, body - LABEL.length, LABEL)
        || !startsAt(data, body, checksum(data, body)) || !startsAt(data, body + DIGITS, END)) {
      throw damaged(where, "the checksum of its " + data.length + " bytes differs");
    }
    JsonNode document;
    try {
      document = JSON.readTree(new String(data, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw damaged(where, e.getOriginalMessage());
    }
    int format = document.path("formatVersion").asInt();
    if (format > FORMAT) {
      throw new EngineException(ErrorCode.FORMAT_TOO_NEW,
          where + " has format " + format + ", this release reads up to " + FORMAT
              + ". Use the release that wrote it, or a later one");
    }
    if (!document.path("kind").asText().equals(kind)) {
      throw damaged(where, "it is of kind " + document.path("kind").asText() + ", not " + kind);
    }
    return document.path("content");
  }

  private static boolean startsAt(byte[] data, int at, byte[] part) {
    return Arrays.equals(data, at, at + part.length, part, 0, part.length);
  }

  private static byte[] checksum(byte[] body, int length) {
    return bytes(String.format(Locale.ROOT, "%08x", Checksum.of(body, 0, length)));
  }

  private static EngineException damaged(String where, String why) {
    return new EngineException(ErrorCode.CORRUPTION,
        where + " is not what was written: " + why
            + ". Restore the file, or start with another checkpointLocation");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
