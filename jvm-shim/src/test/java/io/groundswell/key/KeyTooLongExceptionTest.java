package io.groundswell.key;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.operator.spi.RowFailures;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeyTooLongExceptionTest {
  @Test
  void itSaysWhatTheKeyHasAndIsAnErrorOfTheRow() {
    byte[] key = new byte[16 + 5_000_000];
    Arrays.fill(key, 16, key.length, (byte) 'x');
    byte[] name = "Straße 7".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(name, 0, key, 16, name.length);
    KeyTooLongException e = new KeyTooLongException("groups", key, 0, key.length);
    assertTrue(e.getMessage().contains("has 5000016 bytes; the limit is 1048576"), e.getMessage());
    assertTrue(e.getMessage().contains("text 'Straße 7xxxx"), e.getMessage());
    assertTrue(e.getMessage().length() < 400, e.getMessage());
    assertTrue(RowFailures.isOfData(e));
  }
}
