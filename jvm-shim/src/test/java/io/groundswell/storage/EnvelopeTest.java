package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** As tests/unit/format/test_envelope.py: what one half writes the other one reads. */
class EnvelopeTest {
  private static byte[] fixture() throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("tests/fixtures/envelope"))) {
      folder = folder.getParent();
    }
    return Files.readAllBytes(folder.resolve("tests/fixtures/envelope/owner.json"));
  }

  @Test
  void bothHalvesWriteTheSameBytes() throws IOException {
    JsonNode content = Envelope.unseal("x", fixture(), "owner");
    assertEquals(7, content.path("token").asLong());
    assertEquals("größe \"x\"", content.path("run").asText());
    assertArrayEquals(fixture(), Envelope.seal("owner", content));
  }

  @Test
  void everyChangedByteAndEveryCutIsNamed() throws IOException {
    byte[] whole = fixture();
    for (int at = 0; at < 8 * whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at / 8] ^= (byte) (1 << at % 8);
      refused(ErrorCode.CORRUPTION, damaged, "owner");
    }
    for (int length = 0; length < whole.length; length++) {
      refused(ErrorCode.CORRUPTION, Arrays.copyOf(whole, length), "owner");
    }
    refused(ErrorCode.CORRUPTION, whole, "epoch");
  }

  @Test
  void whatALaterReleaseWroteIsTold() throws IOException {
    String text = new String(fixture(), StandardCharsets.UTF_8).replace(":2,", ":3,");
    byte[] body = text.substring(0, text.length() - 10).getBytes(StandardCharsets.UTF_8);
    String checksum = String.format("%08x\"}", Checksum.of(body, 0, body.length));
    byte[] end = checksum.getBytes(StandardCharsets.UTF_8);
    byte[] later = Arrays.copyOf(body, body.length + end.length);
    System.arraycopy(end, 0, later, body.length, end.length);
    refused(ErrorCode.FORMAT_TOO_NEW, later, "owner");
  }

  private static void refused(ErrorCode code, byte[] data, String kind) {
    EngineException e =
        assertThrows(EngineException.class, () -> Envelope.unseal("/c/owners/7.json", data, kind));
    assertEquals(code, e.code(), e.getMessage());
    assertTrue(e.getMessage().contains("/c/owners/7.json"), e.getMessage());
  }
}
