package io.groundswell.spark.shims;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.TempLocalBlockId;
import scala.Tuple2;

/**
 * A file in one of Spark's local folders ({@code spark.local.dir}), compressed and encrypted as
 * Spark's own spilled rows are ({@code spark.shuffle.spill.compress}, {@code
 * spark.io.encryption.enabled}). Without Spark, as in a test, it is a temporary file of plain
 * bytes.
 */
public final class SpillFile {
  private static final int BUFFER = 16 << 10;

  private final BlockId id;
  private final File file;

  private SpillFile(BlockId id, File file) {
    this.id = id;
    this.file = file;
  }

  /** A new file, which is to be deleted. */
  public static SpillFile create() throws IOException {
    SparkEnv env = SparkEnv.get();
    if (env == null) {
      return new SpillFile(null, File.createTempFile("groundswell-part", null));
    }
    Tuple2<TempLocalBlockId, File> made =
        env.blockManager().diskBlockManager().createTempLocalBlock();
    return new SpillFile(made._1(), made._2());
  }

  /** Writes the file anew; bytes are there once the stream is closed. */
  public OutputStream write() throws IOException {
    OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file.toPath()), BUFFER);
    return id == null ? plain : SparkEnv.get().serializerManager().wrapStream(id, plain);
  }

  /** Reads the file from its beginning. */
  public InputStream read() throws IOException {
    InputStream plain = new BufferedInputStream(Files.newInputStream(file.toPath()), BUFFER);
    return id == null ? plain : SparkEnv.get().serializerManager().wrapStream(id, plain);
  }

  public void delete() {
    file.delete();
  }

  /** Its path. */
  @Override
  public String toString() {
    return file.toString();
  }
}
