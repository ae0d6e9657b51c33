package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.testing.Seeds;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.sql.execution.datasources.HadoopLineRecordReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of parts of files: those of Spark's reader of lines, wherever the parts meet. */
class FileLinesTest {
  private static final List<String> PIECES = List.of("a", "bc", "\n", "\n", "\r", "\r\n", "\r\r\n",
      "\uFEFF", "größe", "a line that is longer than others", "\u0000");

  private static final Configuration CONF = new Configuration();

  private static byte[] text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(40); n > 0; n--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> read(Lines lines) {
    List<String> all = new ArrayList<>();
    while (lines.next()) {
      all.add("<"
          + new String(lines.bytes(), lines.start(), lines.length(), StandardCharsets.ISO_8859_1)
          + ">");
    }
    return all;
  }

  private static List<String> spark(Path file, long from, long size) throws IOException {
    List<String> all = new ArrayList<>();
    try (HadoopLineRecordReader reader = new HadoopLineRecordReader(null)) {
      reader.initialize(
          new FileSplit(new org.apache.hadoop.fs.Path(file.toUri()), from, size, new String[0]),
          new TaskAttemptContextImpl(CONF, new TaskAttemptID()));
      while (reader.nextKeyValue()) {
        all.add("<" + new String(reader.getCurrentValue().copyBytes(), StandardCharsets.ISO_8859_1)
            + ">");
      }
    }
    return all;
  }

  @Test
  void partsHaveTheLinesOfSpark(@TempDir Path folder) {
    Seeds.each(150, random -> {
      byte[] text = text(random);
      Path file = folder.resolve("text");
      try {
        Files.write(file, text);
        int from = 0;
        while (from < text.length) {
          int size = 1 + random.nextInt(random.nextBoolean() ? 5 : text.length - from);
          size = Math.min(size, text.length - from);
          List<String> expected = spark(file, from, size);
          String place = from + " + " + size + " of "
              + new String(text, StandardCharsets.UTF_8).replace("\r", "\\r").replace("\n", "\\n");
          FileLines small = new FileLines(new ByteArrayInputStream(text, from, text.length - from),
              from, size, 1 + random.nextInt(40));
          assertEquals(expected, read(small), place);
          assertEquals(expected,
              read(FileLines.open(new org.apache.hadoop.fs.Path(file.toUri()), from, size, CONF)),
              place);
          from += size;
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
  }
}
