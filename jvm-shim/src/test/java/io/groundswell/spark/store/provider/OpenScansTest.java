package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenScansTest {
  private static final class Empty extends RowCursor {
    private int closed;

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public Slice key() {
      throw new IllegalStateException();
    }

    @Override
    public int hash() {
      throw new IllegalStateException();
    }

    @Override
    public Slice value() {
      throw new IllegalStateException();
    }

    @Override
    public long epoch() {
      throw new IllegalStateException();
    }

    @Override
    public void close() {
      closed++;
    }
  }

  @Test
  void scansThatEndedAreForgottenAndOthersClosed() {
    OpenScans scans = new OpenScans();
    List<Empty> left = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      Empty cursor = new Empty();
      RowPairs rows = new RowPairs(null, cursor);
      scans.add(rows);
      if (i % 1000 == 0) {
        left.add(cursor);
      } else {
        assertEquals(false, rows.hasNext());
      }
      assertTrue(scans.size() <= 2 * 64 + 2 * left.size(), scans.size() + " kept");
    }
    scans.close();
    assertTrue(left.stream().allMatch(cursor -> cursor.closed == 1));
  }
}
