package io.groundswell.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.StreamCapabilities;

/** A local file that appears when its stream is closed, and not at all if that was aborted. */
final class FaultyOutput extends OutputStream implements Abortable, StreamCapabilities {
  private static final String DRAFT = ".draft";

  private final Path target;
  private final String name;
  private final FaultInjector injector;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean closed;

  FaultyOutput(Path target, FaultInjector injector) {
    this.target = target;
    this.name = target.getFileName().toString();
    this.injector = injector;
  }

  /** True of files that no listing may show. */
  static boolean isDraft(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(".") && name.endsWith(DRAFT);
  }

  @Override
  public void write(int b) {
    bytes.write(b);
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    bytes.write(source, offset, length);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    Fault fault = injector.begin(Op.PUT, name);
    byte[] object = FaultInjector.content(fault, bytes.toByteArray());
    Path draft = Files.createTempFile(target.getParent(), "." + name, DRAFT);
    Files.write(draft, object);
    Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    injector.count(Op.PUT, object.length);
    injector.end(fault, Op.PUT, name);
  }

  @Override
  public AbortableResult abort() {
    boolean late = closed;
    closed = true;
    return new AbortableResult() {
      @Override
      public boolean alreadyClosed() {
        return late;
      }

      @Override
      public IOException anyCleanupException() {
        return null;
      }
    };
  }

  @Override
  public boolean hasCapability(String capability) {
    return capability.equals(StreamCapabilities.ABORTABLE_STREAM);
  }
}
