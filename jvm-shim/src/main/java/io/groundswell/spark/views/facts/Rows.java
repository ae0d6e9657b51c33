package io.groundswell.spark.views.facts;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

/** A table of text: a line a row, cells apart by bars; empty lines and those with # are none. */
final class Rows {
  private Rows() {}

  /** The rows below the first, which names the columns; cells that are missing are empty. */
  static List<List<String>> of(String file) {
    try (InputStream in = Rows.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the jar has no " + file + " beside " + Rows.class.getName()
            + "; the build of this project puts it there");
      }
      List<String> lines = new String(in.readAllBytes(), UTF_8)
                               .lines()
                               .filter(line -> !line.isBlank() && !line.startsWith("#"))
                               .toList();
      int columns = cells(lines.get(0)).length;
      return lines.stream().skip(1).map(line -> padded(cells(line), columns)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String[] cells(String line) {
    return line.split("\\|", -1);
  }

  private static List<String> padded(String[] cells, int columns) {
    return Arrays.stream(Arrays.copyOf(cells, columns))
        .map(cell -> cell == null ? "" : cell.strip())
        .toList();
  }
}
