package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.SmallFiles.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How small files are dealt out to tasks. */
class SmallFilesTest {
  private static final long LEAST = SmallFiles.LEAST;

  private static Piece file(int number, long length) {
    return new Piece(number, 0, length, true);
  }

  @Test
  void aFileIsCutIntoAPieceACore() {
    assertEquals(
        List.of(List.of(file(0, 2 * LEAST)), List.of(new Piece(0, 2 * LEAST, 2 * LEAST, true))),
        SmallFiles.deal(List.of(file(0, 4 * LEAST)), 2));
  }

  @Test
  void aTinyFileIsNotCut() {
    assertEquals(1, SmallFiles.deal(List.of(file(0, LEAST + 1)), 8).size());
    assertEquals(List.of(List.of(file(0, 0))), SmallFiles.deal(List.of(file(0, 0)), 8));
  }

  @Test
  void whatCannotBeCutIsReadByOneTask() {
    Piece packed = new Piece(0, 0, 10 * LEAST, false);
    assertEquals(List.of(List.of(packed), List.of(file(1, LEAST))),
        SmallFiles.deal(List.of(packed, file(1, LEAST)), 4));
  }

  @Test
  void anyFilesAreReadWholeInOrderByFewTasks() {
    Random random = new Random(7);
    for (int life = 0; life < 2000; life++) {
      int most = 1 + random.nextInt(9);
      List<Piece> files = new ArrayList<>();
      for (int i = 0, n = random.nextInt(6); i < n; i++) {
        long length = random.nextInt(3) == 0 ? random.nextInt(100) : random.nextLong(20 * LEAST);
        files.add(new Piece(i, 0, length, random.nextInt(4) > 0));
      }
      List<List<Piece>> tasks = SmallFiles.deal(files, most);
      assertTrue(tasks.size() <= most, "tasks");
      List<Piece> pieces = tasks.stream().flatMap(List::stream).toList();
      int next = 0;
      for (Piece file : files) {
        long read = 0;
        do {
          Piece piece = pieces.get(next++);
          assertEquals(file.file(), piece.file());
          assertEquals(read, piece.start());
          assertTrue(file.cuttable() || piece.length() == file.length(), "cut");
          read += piece.length();
        } while (read < file.length());
        assertEquals(file.length(), read);
      }
      assertEquals(next, pieces.size());
      assertTrue(tasks.stream().noneMatch(List::isEmpty));
    }
  }
}
