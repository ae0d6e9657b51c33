package io.groundswell.spark.views.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Tokens of strict JSON (RFC 8259) over bytes; anything else throws {@link Unusual}. */
class JsonTokens {
  private static final int MAX_DEPTH = 100; // Jackson's is 1000
  private static final int MAX_NAME = 10_000; // Jackson's is 50,000 characters
  private static final int MAX_NUMBER = 100; // Jackson's is 1000

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x80 * ONES;
  private static final long QUOTES = '"' * ONES;
  private static final long ESCAPES = '\\' * ONES;
  private static final long BLANKS = ' ' * ONES;
  private static final long COLONS = ':' * ONES;

  protected byte[] bytes;
  protected int at;
  protected int end;

  protected final void spaces() {
    while (at < end && bytes[at] <= ' ') {
      byte b = bytes[at];
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        throw Unusual.TEXT;
      }
      at++;
    }
  }

  protected final byte peek() {
    if (at >= end) {
      throw Unusual.TEXT;
    }
    return bytes[at];
  }

  protected final byte next() {
    if (at >= end) {
      throw Unusual.TEXT;
    }
    return bytes[at++];
  }

  protected final void expect(char wanted) {
    if (next() != wanted) {
      throw Unusual.TEXT;
    }
  }

  /** Whether another member follows in an object or array: after a comma; the end is consumed. */
  protected final boolean another(char close) {
    spaces();
    byte b = next();
    if (b == ',') {
      spaces();
      return true;
    }
    if (b != close) {
      throw Unusual.TEXT;
    }
    return false;
  }

  /** Whether an object or array that was opened is empty; if so, its end is consumed. */
  protected final boolean isEmpty(char close) {
    spaces();
    if (peek() != close) {
      return false;
    }
    at++;
    return true;
  }

  /** The colon after a name. */
  protected final void colon() {
    if (at < end && bytes[at] == ':') {
      at++;
    } else {
      spaces();
      expect(':');
    }
    spaces();
  }

  protected final void literal(String word) {
    int length = word.length();
    if (end - at < length) {
      throw Unusual.TEXT;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[at + i] != word.charAt(i)) {
        throw Unusual.TEXT;
      }
    }
    at += length;
  }

  /** The end of the string in which this is, or its first escape. */
  protected final int stretch() {
    byte[] in = bytes;
    int i = at;
    while (i <= end - Long.BYTES && !stops((long) LONGS.get(in, i))) {
      i += Long.BYTES;
    }
    for (; i < end; i++) {
      byte b = in[i];
      if (b == '"' || b == '\\') {
        return i;
      }
      if (b >= 0 && b < ' ') {
        break;
      }
    }
    throw Unusual.TEXT;
  }

  /** Whether one of eight bytes is a quote, a backslash or a control character. */
  private static boolean stops(long eight) {
    long quote = eight ^ QUOTES;
    long escape = eight ^ ESCAPES;
    return ((((quote - ONES) & ~quote) | ((escape - ONES) & ~escape) | ((eight - BLANKS) & ~eight))
               & HIGH)
        != 0;
  }

  /**
   * Whether the rest of the text may have one of some names again; false only if it has none. All
   * names stand before a colon; one with an escape in it may be any.
   */
  protected final boolean mayRepeat(byte[][] names) {
    for (int i = mark(at); i < end; i = mark(i + 1)) {
      if (bytes[i] == '\\' || ends(names, i)) {
        return true;
      }
    }
    return false;
  }

  /** Where the next colon or backslash stands; the text's end: there is none. */
  private int mark(int from) {
    byte[] in = bytes;
    int i = from;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long colon = (long) LONGS.get(in, i) ^ COLONS;
      long escape = (long) LONGS.get(in, i) ^ ESCAPES;
      long found = (((colon - ONES) & ~colon) | ((escape - ONES) & ~escape)) & HIGH;
      if (found != 0) {
        return i + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    while (i < end && in[i] != ':' && in[i] != '\\') {
      i++;
    }
    return i;
  }

  /** Whether one of some names stands before a colon, in quotes of either kind. */
  private boolean ends(byte[][] names, int colon) {
    int to = colon - 1;
    while (to > at && bytes[to] <= ' ' && bytes[to] >= 0) {
      to--;
    }
    byte quote = bytes[to];
    if (quote != '"' && quote != '\'') {
      return false;
    }
    for (byte[] name : names) {
      int from = to - name.length;
      if (from > at && bytes[from - 1] == quote
          && Arrays.equals(name, 0, name.length, bytes, from, to)) {
        return true;
      }
    }
    return false;
  }

  protected final boolean isAscii(int from, int to) {
    byte[] in = bytes;
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      if (((long) LONGS.get(in, i) & HIGH) != 0) {
        return false;
      }
    }
    int seen = 0;
    for (; i < to; i++) {
      seen |= in[i];
    }
    return seen >= 0;
  }

  /** The end of a string of ASCII without escapes, which is read. */
  protected final int plainString() {
    int from = at;
    int to = stretch();
    if (bytes[to] != '"' || !isAscii(from, to)) {
      throw Unusual.TEXT;
    }
    at = to + 1;
    return to;
  }

  /** A value that nobody reads. */
  protected final void skip(int depth) {
    byte b = next();
    switch (b) {
      case '"' -> skipString();
      case '{' -> skipObject(deeper(depth));
      case '[' -> skipArray(deeper(depth));
      case 't' -> literal("rue");
      case 'f' -> literal("alse");
      case 'n' -> literal("ull");
      default -> {
        at--;
        skipNumber();
      }
    }
  }

  protected static int deeper(int depth) {
    if (depth >= MAX_DEPTH) {
      throw Unusual.TEXT;
    }
    return depth + 1;
  }

  private void skipString() {
    for (at = stretch(); bytes[at] == '\\'; at = stretch()) {
      at++;
      if (next() == 'u') {
        hex4();
      } else if ("\"\\/bfnrt".indexOf(bytes[at - 1]) < 0) {
        throw Unusual.TEXT;
      }
    }
    at++;
  }

  /** Four digits of an escaped character. */
  protected final int hex4() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(next(), 16);
      if (digit < 0) {
        throw Unusual.TEXT;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private void skipObject(int depth) {
    if (isEmpty('}')) {
      return;
    }
    do {
      expect('"');
      int from = at;
      skipString();
      named(from);
      colon();
      skip(depth);
    } while (another('}'));
  }

  /** Refuses names of a length that Jackson may refuse. */
  protected final void named(int from) {
    if (at - from > MAX_NAME) {
      throw Unusual.TEXT;
    }
  }

  private void skipArray(int depth) {
    if (isEmpty(']')) {
      return;
    }
    do {
      skip(depth);
    } while (another(']'));
  }

  /** Whether the number is written without a point and an exponent. */
  protected final boolean skipNumber() {
    int from = at;
    if (peek() == '-') {
      at++;
    }
    whole();
    int digits = at;
    if (at < end && bytes[at] == '.') {
      at++;
      digits();
    }
    if (at < end && (bytes[at] == 'e' || bytes[at] == 'E')) {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
    if (at - from > MAX_NUMBER) {
      throw Unusual.TEXT;
    }
    return at == digits;
  }

  /** The digits before the point: a zero stands alone. */
  protected final void whole() {
    if (peek() == '0') {
      at++;
      if (at < end && isDigit(bytes[at])) {
        throw Unusual.TEXT;
      }
    } else {
      digits();
    }
  }

  protected final void digits() {
    int from = at;
    while (at < end && isDigit(bytes[at])) {
      at++;
    }
    if (at == from) {
      throw Unusual.TEXT;
    }
  }

  protected static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
