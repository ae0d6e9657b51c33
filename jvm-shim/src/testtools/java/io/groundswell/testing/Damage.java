package io.groundswell.testing;

import java.util.Arrays;
import java.util.Random;

/** Ways in which bytes go wrong. */
public final class Damage {
  private Damage() {}

  /** A copy with one kind of damage between {@code from} and {@code to}; its length may differ. */
  public static byte[] any(byte[] good, int from, int to, Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> cut(good, from, to, random);
      case 1 -> stretched(good, from, to, random);
      case 2 -> copied(good, from, to, random);
      default -> changed(good, from, to, random);
    };
  }

  /** A few bytes or bits are others; the length stays. */
  public static byte[] changed(byte[] good, int from, int to, Random random) {
    byte[] bad = good.clone();
    for (int n = 1 + random.nextInt(4); n > 0; n--) {
      int at = from + random.nextInt(to - from);
      bad[at] = switch (random.nextInt(4)) {
        case 0 -> (byte) random.nextInt(256);
        case 1 -> (byte) 0xFF; // long varints, negative numbers
        case 2 -> 0;
        default -> (byte) (bad[at] ^ 1 << random.nextInt(8));
      };
    }
    return bad;
  }

  /** Some bytes are gone. */
  private static byte[] cut(byte[] good, int from, int to, Random random) {
    int at = from + random.nextInt(to - from);
    int gone = 1 + random.nextInt(to - at);
    byte[] bad = Arrays.copyOf(good, good.length - gone);
    System.arraycopy(good, at + gone, bad, at, good.length - at - gone);
    return bad;
  }

  /** Random bytes came in between. */
  private static byte[] stretched(byte[] good, int from, int to, Random random) {
    int at = from + random.nextInt(to - from);
    byte[] more = new byte[1 + random.nextInt(20)];
    random.nextBytes(more);
    byte[] bad = Arrays.copyOf(good, good.length + more.length);
    System.arraycopy(more, 0, bad, at, more.length);
    System.arraycopy(good, at, bad, at + more.length, good.length - at);
    return bad;
  }

  /** One place holds what stands in another. */
  private static byte[] copied(byte[] good, int from, int to, Random random) {
    byte[] bad = good.clone();
    int length = 1 + random.nextInt(to - from);
    System.arraycopy(good, from + random.nextInt(to - from - length + 1), bad,
        from + random.nextInt(to - from - length + 1), length);
    return bad;
  }
}
