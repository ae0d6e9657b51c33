package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the plan asks for of a gigabyte, by how many random rows of it are read. */
class FetchPlanTest {
  private static final long STATE = 1L << 30;

  /** Requests that somebody waited for, and bytes of blocks. */
  private record Asked(long requests, long bytes) {}

  /** Reads random places of a state in equal partitions, each one file, with endless room. */
  private static Asked read(Random random, int rows, int partitions) {
    long size = STATE / partitions;
    int stretches = (int) (size / FetchPlan.STRETCH_BYTES);
    int[][] misses = new int[partitions][stretches];
    long[] requests = new long[partitions];
    long bytes = 0;
    for (int i = 0; i < rows; i++) {
      int partition = random.nextInt(partitions);
      int[] ofFile = misses[partition];
      int stretch = random.nextInt(stretches);
      if (requests[partition] >= FetchPlan.takesAllAfter(size, 0)) {
        for (int k = 0; k < stretches; k++) { // asked for beside the reader, once
          bytes += ofFile[k] < 0 ? 0 : FetchPlan.STRETCH_BYTES;
          ofFile[k] = -1;
        }
      }
      if (ofFile[stretch] < 0) {
        continue;
      }
      requests[partition]++;
      boolean near = FetchPlan.takesStretch(++ofFile[stretch]);
      bytes += near ? FetchPlan.STRETCH_BYTES : FetchPlan.LONE_BYTES;
      ofFile[stretch] = near ? -1 : ofFile[stretch];
    }
    return new Asked(java.util.Arrays.stream(requests).sum(), bytes);
  }

  @Test
  void rowsSpreadOverAGigabyteTakeASmallPart() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int partitions : new int[] {1, 4, 8}) {
      long bytes = 0;
      for (int run = 0; run < 20; run++) {
        bytes += read(random, 400, partitions).bytes() / 20;
      }
      double share = (double) bytes / STATE;
      assertTrue(share < 0.02, partitions + " partitions: " + share + ", seed " + seed);
    }
  }

  @Test
  void rowsThatTouchEveryBlockWaitForFewRequests() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int partitions : new int[] {1, 4, 8}) {
      Asked asked = read(random, 200_000, partitions);
      long most = STATE / FetchPlan.STRETCH_BYTES + 4L * partitions;
      assertTrue(asked.requests() <= most, partitions + " partitions: " + asked + ", seed " + seed);
      assertTrue(asked.bytes() < STATE * 102 / 100, asked + ", seed " + seed);
    }
  }

  @Test
  void neighboursAreTakenWithTheFourthMiss() {
    int[] first = {1, 2, 3, 4};
    boolean[] taken = {false, false, false, true};
    for (int i = 0; i < first.length; i++) {
      assertEquals(taken[i], FetchPlan.takesStretch(first[i]), "miss " + first[i]);
    }
    assertTrue(FetchPlan.takesSection(1 << 10));
    assertEquals(4 + 1, FetchPlan.takesAllAfter(1 << 20, 0));
    assertEquals(4 + 1024, FetchPlan.takesAllAfter(STATE, 0));
  }

  @Test
  void batchesThatWereLargeForTheStateShortenTheWait() {
    assertEquals(4 + 1024, FetchPlan.takesAllAfter(STATE, 400));
    assertEquals(4 + 1024, FetchPlan.takesAllAfter(STATE, 4000));
    assertEquals(4 + 64, FetchPlan.takesAllAfter(STATE, 20_000));
  }
}
