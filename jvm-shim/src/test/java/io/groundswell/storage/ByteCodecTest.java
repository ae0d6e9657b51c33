package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.testing.Seeds;
import org.junit.jupiter.api.Test;

class ByteCodecTest {
  @Test
  void whatIsWrittenIsRead() {
    long[] edges = {0, 1, -1, 127, 128, 16383, 16384, Integer.MAX_VALUE, Integer.MIN_VALUE,
        Long.MAX_VALUE, Long.MIN_VALUE};
    ByteWriter out = new ByteWriter(0);
    for (long n : edges) {
      out.u8((int) n).u16((int) n).u32((int) n).u64(n).varint(n).zigzag(n);
    }
    out.string("Grüße").blob(new byte[] {1, 2});
    ByteReader in = new ByteReader("t", out.array(), 0, out.size());
    for (long n : edges) {
      assertEquals(n & 0xFF, in.u8());
      assertEquals(n & 0xFFFF, in.u16());
      assertEquals((int) n, in.u32());
      assertEquals(n, in.u64());
      assertEquals(n, in.varint());
      assertEquals(n, in.zigzag());
    }
    assertEquals("Grüße", in.string());
    assertArrayEquals(new byte[] {1, 2}, in.blob());
    in.expectEnd();
  }

  @Test
  void anyBytesGiveValuesOrCorruption() {
    Seeds.each(5000, random -> {
      byte[] bytes = new byte[random.nextInt(20)];
      random.nextBytes(bytes);
      ByteReader in = new ByteReader("file x", bytes, 0, bytes.length);
      EngineException e = assertThrows(EngineException.class, () -> {
        while (true) {
          switch (random.nextInt(6)) {
            case 0 -> in.varint();
            case 1 -> in.blob();
            case 2 -> in.string();
            case 3 -> in.u64();
            case 4 -> in.count(100);
            default -> in.raw(random.nextInt(4));
          }
        }
      });
      assertEquals(ErrorCode.CORRUPTION, e.code());
      assertTrue(e.getMessage().contains("file x"));
    });
  }
}
