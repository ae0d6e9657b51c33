package io.groundswell.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.testing.Seeds;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InternalKeyTest {
  private static final TableSpec HASHED = new TableSpec(1, "h", TableSpec.Layout.HASHED, false);
  private static final TableSpec ORDERED = new TableSpec(2, "o", TableSpec.Layout.ORDERED, false);

  private static byte[] key(TableSpec table, int hash, byte[] user, long epoch) {
    byte[] key = new byte[InternalKey.encodedLength(user.length)];
    assertEquals(key.length, InternalKey.encode(table, hash, user, 0, user.length, epoch, key, 0));
    return key;
  }

  private static int order(byte[] a, byte[] b) {
    return Integer.signum(InternalKey.compare(a, a.length, b, b.length));
  }

  @Test
  void bytesAreThoseOfTheFormat() {
    byte[] user = {0x61, 0x62};
    assertEquals("0001"
            + "fffffffe"
            + "6162"
            + "fffffffffffffffa",
        HexFormat.of().formatHex(key(HASHED, -2, user, 5)));
    assertEquals("0002"
            + "6162"
            + "00000007"
            + "fffffffffffffffa",
        HexFormat.of().formatHex(key(ORDERED, 7, user, 5)));
  }

  @Test
  void partsComeBack() {
    Seeds.each(500, random -> {
      byte[] user = randomBytes(random, 30);
      TableSpec table = random.nextBoolean() ? HASHED : ORDERED;
      int hash = random.nextInt();
      long epoch = random.nextLong() >>> 1;
      byte[] key = key(table, hash, user, epoch);
      assertEquals(table.id(), InternalKey.tableOf(key));
      assertEquals(hash, InternalKey.hashOf(table.layout(), key, key.length));
      assertEquals(epoch, InternalKey.epochOf(key, key.length));
      int from = InternalKey.userKeyOffset(table.layout());
      assertArrayEquals(
          user, Arrays.copyOfRange(key, from, from + InternalKey.userKeyLength(key.length)));
    });
  }

  @Test
  void orderIsStemThenNewestFirst() {
    Seeds.each(2000, random -> {
      byte[] x = randomBytes(random, 4);
      byte[] y = random.nextInt(3) == 0 ? x : randomBytes(random, 4);
      long ex = random.nextInt(3);
      long ey = random.nextInt(3);
      byte[] a = key(HASHED, 1, x, ex);
      byte[] b = key(HASHED, 1, y, ey);
      int byUser = Integer.signum(Arrays.compareUnsigned(x, y));
      assertEquals(byUser != 0 ? byUser : Long.compare(ey, ex), order(a, b));
      assertEquals(Arrays.equals(x, y), InternalKey.sameUserKey(a, a.length, b, b.length));
    });
  }

  /** Comparing whole arrays would put the version of "a" that is epoch 0 behind all of "ab". */
  @Test
  void versionsDoNotInterleaveWithThoseOfALongerKey() {
    byte[] old = key(HASHED, 1, new byte[] {'a'}, 0);
    byte[] longer = key(HASHED, 1, new byte[] {'a', 'b'}, 100);
    assertTrue(order(old, longer) < 0);
    assertTrue(Arrays.compareUnsigned(old, longer) > 0);
  }

  @Test
  void rangesOfOrderedTablesCompareUserKeysAndNotHashes() {
    byte[] user = {5, 5};
    byte[] key = key(ORDERED, -1, user, 3); // its hash bytes are 0xff
    KeyRange upTo = KeyRange.ordered(ORDERED, null, new byte[] {5, 5, 0});
    assertTrue(upTo.compareUserKey(key, key.length, upTo.upper()) < 0);
    assertTrue(upTo.mayOverlap(key, key));
    KeyRange below = KeyRange.ordered(ORDERED, null, user);
    assertFalse(below.compareUserKey(key, key.length, below.upper()) < 0);
    assertThrows(EngineException.class, () -> KeyRange.ordered(HASHED, null, null));
  }

  /** Pruning files by bounds must never lose a row that a scan would show. */
  @Test
  void overlapNeverMissesAKeyOfTheRange() {
    Seeds.each(3000, random -> {
      TableSpec table = random.nextBoolean() ? HASHED : ORDERED;
      KeyRange range = randomRange(table, random);
      byte[] a = key(table, random.nextInt(3) - 1, randomFixed(random), random.nextInt(3));
      byte[] b = key(table, random.nextInt(3) - 1, randomFixed(random), random.nextInt(3));
      byte[] low = order(a, b) <= 0 ? a : b;
      byte[] high = low == a ? b : a;
      for (byte[] key : new byte[][] {a, b}) {
        if (contains(range, key)) {
          assertTrue(range.mayOverlap(low, high));
          byte[] target = range.seekTarget();
          assertTrue(InternalKey.compare(target, target.length, key, key.length) <= 0);
        }
      }
    });
  }

  private static boolean contains(KeyRange range, byte[] key) {
    return range.startsWithPrefix(key, key.length)
        && (range.lower() == null || range.compareUserKey(key, key.length, range.lower()) >= 0)
        && (range.upper() == null || range.compareUserKey(key, key.length, range.upper()) < 0);
  }

  private static KeyRange randomRange(TableSpec table, Random random) {
    byte[] x = randomBytes(random, 3);
    int kind = random.nextInt(3);
    if (kind == 0) {
      return KeyRange.table(table);
    }
    if (kind == 1 || table == HASHED) {
      return KeyRange.prefix(table, random.nextInt(3) - 1, x, 0, x.length);
    }
    return KeyRange.ordered(table, random.nextBoolean() ? x : null,
        random.nextBoolean() ? randomBytes(random, 3) : null);
  }

  /** Two bytes: keys of one length are prefix-free. */
  private static byte[] randomFixed(Random random) {
    return new byte[] {(byte) (random.nextInt(3) * 127), (byte) (random.nextInt(3) * 127)};
  }

  private static byte[] randomBytes(Random random, int limit) {
    byte[] bytes = new byte[random.nextInt(limit)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) * 127);
    }
    return bytes;
  }
}
