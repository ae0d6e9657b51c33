package io.groundswell.key;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.nio.charset.StandardCharsets;

/** A key that no table can hold: an error of the data, for the row that has it can be corrected. */
public final class KeyTooLongException extends EngineException {
  private static final long serialVersionUID = 1L;

  private static final String WAY_ROUND =
      ". Group, join, order, or take min, max or DISTINCT values by a part or a hash of it, as "
      + "left(k, 1000) or sha2(k, 256)";

  /** Letters of a key that its error shows. */
  private static final int SHOWN = 60;

  /** How many bytes of a key are searched for letters. */
  private static final int SEARCHED = 4096;

  KeyTooLongException(String table, byte[] key, int offset, int length) {
    super(ErrorCode.INVALID_ARGUMENT,
        "a key of table '" + table + "' has " + length + " bytes; the limit is "
            + InternalKey.MAX_USER_KEY + ". It has the text '" + text(key, offset, length) + "...'"
            + WAY_ROUND);
  }

  private KeyTooLongException(String message) {
    super(ErrorCode.INVALID_ARGUMENT, message);
  }

  /**
   * Of columns that a query says to be a key, as GROUP BY does.
   *
   * @param most bytes that they may have
   */
  public static KeyTooLongException of(String columns, long length, long most) {
    return new KeyTooLongException(
        "the key of " + columns + " has " + length + " bytes; the limit is " + most + WAY_ROUND);
  }

  /** The first letters in a key, whose bytes are a row's: lengths and nulls stand between. */
  private static String text(byte[] key, int offset, int length) {
    String all = new String(key, offset, Math.min(length, SEARCHED), StandardCharsets.UTF_8)
                     .replaceAll("[\\p{Cntrl}\\uFFFD]+", " ")
                     .strip();
    return all.length() <= SHOWN ? all : all.substring(0, SHOWN);
  }
}
