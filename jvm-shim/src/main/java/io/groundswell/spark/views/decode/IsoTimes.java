package io.groundswell.spark.views.decode;

import java.time.LocalDate;
import java.time.YearMonth;

/** Dates and times in the one form that is usual in messages: {@code 2024-02-29T12:34:56.789Z}. */
final class IsoTimes {
  /** Not of that form: another one, or no time. */
  static final long NONE = Long.MIN_VALUE;

  /** The offset of a zone that changes its offset. */
  static final int NO_OFFSET = Integer.MIN_VALUE;

  private static final int DATE = 10;
  private static final int SECONDS = 19;
  private static final int FRACTION = 6;
  private static final long DAY = 86_400;
  private static final long MICROS = 1_000_000;

  private IsoTimes() {}

  /** Days since 1970 of {@code yyyy-MM-dd}. */
  static long days(byte[] text, int from, int to) {
    return to - from == DATE ? date(text, from) : NONE;
  }

  /**
   * Microseconds since 1970 of {@code yyyy-MM-ddTHH:mm:ss}, with a blank for the T, up to six
   * digits of a second and a Z as may be.
   *
   * @param offset seconds by which times without a Z are ahead of UTC, or {@link #NO_OFFSET}
   */
  static long micros(byte[] text, int from, int to, int offset) {
    boolean utc = to > from && text[to - 1] == 'Z';
    int end = utc ? to - 1 : to;
    int length = end - from;
    if (length < SECONDS || (!utc && offset == NO_OFFSET)
        || (text[from + DATE] != 'T' && text[from + DATE] != ' ')) {
      return NONE;
    }
    long days = date(text, from);
    int hour = two(text, from + 11);
    int minute = two(text, from + 14);
    int second = two(text, from + 17);
    if (days == NONE || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0
        || second > 59 || text[from + 13] != ':' || text[from + 16] != ':') {
      return NONE;
    }
    long fraction = length == SECONDS ? 0 : fraction(text, from + SECONDS, end);
    if (fraction < 0) {
      return NONE;
    }
    long seconds = days * DAY + hour * 3600L + minute * 60L + second - (utc ? 0 : offset);
    return seconds * MICROS + fraction;
  }

  private static long date(byte[] text, int from) {
    int century = two(text, from);
    int rest = two(text, from + 2);
    int month = two(text, from + 5);
    int day = two(text, from + 8);
    if (century < 0 || rest < 0 || text[from + 4] != '-' || text[from + 7] != '-' || month < 1
        || month > 12 || day < 1) {
      return NONE;
    }
    int year = century * 100 + rest;
    if (day > 28 && day > YearMonth.of(year, month).lengthOfMonth()) {
      return NONE;
    }
    return LocalDate.of(year, month, day).toEpochDay();
  }

  private static long fraction(byte[] text, int from, int to) {
    int digits = to - from - 1;
    if (text[from] != '.' || digits < 1 || digits > FRACTION) {
      return -1;
    }
    long value = 0;
    for (int i = from + 1; i < to; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    for (int i = digits; i < FRACTION; i++) {
      value *= 10;
    }
    return value;
  }

  /** A number of two digits; negative: it is none. */
  private static int two(byte[] text, int at) {
    int tens = text[at] - '0';
    int ones = text[at + 1] - '0';
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
  }
}
