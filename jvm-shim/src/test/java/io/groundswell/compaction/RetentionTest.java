package io.groundswell.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.version.Catalogue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetentionTest {
  private static final Catalogue TABLES = Catalogue.EMPTY.with("gone", Layout.HASHED, true)
                                              .with("t", Layout.HASHED, true)
                                              .without("gone");

  /** Entries as key@epoch, deletes with a minus, rows of a dropped table with an x in front. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', nullValues = "nothing", textBlock = """
      # entries                | safe | bottom | kept
      a@3 b@2 c@1              | 9    | false  | a@3 b@2 c@1
      # of one row the newest at or below the safe epoch, and all above
      a@5 a@3 a@1              | 9    | false  | a@5
      a@5 a@3 a@1              | 5    | false  | a@5
      a@5 a@3 a@1              | 4    | false  | a@5 a@3
      a@5 a@3 a@1              | 3    | false  | a@5 a@3
      a@5 a@3 a@1              | 2    | false  | a@5 a@3 a@1
      a@5 a@3 a@1              | 0    | true   | a@5 a@3 a@1
      # a tombstone hides what lies below the merge, unless nothing does
      -a@5 a@3                 | 9    | false  | -a@5
      -a@5 a@3                 | 9    | true   | nothing
      -a@5 a@3                 | 4    | true   | -a@5 a@3
      -a@5 -a@3 a@1            | 4    | true   | -a@5
      a@5 -a@3 a@1             | 4    | true   | a@5
      a@5 -a@3 a@1             | 4    | false  | a@5 -a@3
      # the next row starts anew
      -a@5 a@3 aa@2 b@4 b@1    | 9    | true   | aa@2 b@4
      # rows of dropped tables go, whatever their epoch
      xa@9 xb@1 -xc@5 a@1      | 0    | false  | a@1
      """)
  void keeps(String entries, long safeEpoch, boolean bottom, String kept) {
    Retention retention = new Retention(TABLES, safeEpoch, bottom);
    List<String> found = new ArrayList<>();
    Entry entry = new Entry();
    String row = "";
    for (String text : entries.trim().split(" +")) {
      entry.set(text);
      boolean keeps = retention.keeps(entry);
      String name = text.replace("-", "").replaceAll("@.*", "");
      if (!name.startsWith("x")) {
        assertEquals(!name.equals(row), retention.startsRow(), text);
        row = name;
      }
      if (keeps) {
        found.add(text);
      }
    }
    assertEquals(kept == null ? "" : kept, String.join(" ", found));
  }

  /** A cursor that stands where it is put. */
  private static final class Entry extends EntryCursor {
    void set(String text) {
      delete = text.startsWith("-");
      String[] parts = text.replace("-", "").split("@");
      boolean dropped = parts[0].startsWith("x");
      TableSpec table = new TableSpec(dropped ? 0 : 1, "t", Layout.HASHED, true);
      byte[] user = parts[0].getBytes(StandardCharsets.US_ASCII);
      keyLength =
          InternalKey.encode(table, 0, user, 0, user.length, Long.parseLong(parts[1]), key, 0);
    }

    @Override
    public void seekToFirst() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void seek(byte[] target, int targetLength) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void next() {
      throw new UnsupportedOperationException();
    }
  }
}
