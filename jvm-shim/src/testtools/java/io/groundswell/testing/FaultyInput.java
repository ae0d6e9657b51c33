package io.groundswell.testing;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.apache.hadoop.fs.FSInputStream;

/** A local file read by ranges: each positioned read, and each run of reads in a row, is a GET. */
final class FaultyInput extends FSInputStream {
  private final RandomAccessFile file;
  private final String name;
  private final FaultInjector injector;
  private boolean asked;
  private Fault fault = Fault.NONE;

  FaultyInput(File file, FaultInjector injector) throws IOException {
    this.file = new RandomAccessFile(file, "r");
    this.name = file.getName();
    this.injector = injector;
  }

  @Override
  public synchronized void readFully(long position, byte[] target, int offset, int length)
      throws IOException {
    Fault mine = injector.begin(Op.GET, name);
    long here = file.getFilePointer();
    try {
      file.seek(position);
      file.readFully(target, offset, length);
    } catch (EOFException e) {
      throw new EOFException(name + " ends before " + (position + length));
    } finally {
      file.seek(here);
    }
    flip(mine, target, offset, length);
    injector.count(Op.GET, length);
    injector.end(mine, Op.GET, name);
  }

  @Override
  public synchronized int read(long position, byte[] target, int offset, int length)
      throws IOException {
    Fault mine = injector.begin(Op.GET, name);
    long here = file.getFilePointer();
    file.seek(position);
    int count = file.read(target, offset, length);
    file.seek(here);
    flip(mine, target, offset, count);
    injector.count(Op.GET, Math.max(0, count));
    injector.end(mine, Op.GET, name);
    return count;
  }

  @Override
  public synchronized int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public synchronized int read(byte[] target, int offset, int length) throws IOException {
    if (!asked) {
      asked = true;
      fault = injector.begin(Op.GET, name);
      injector.end(fault, Op.GET, name);
    }
    int count = file.read(target, offset, length);
    flip(fault, target, offset, count);
    fault = Fault.NONE;
    injector.count(Op.GET, Math.max(0, count));
    return count;
  }

  @Override
  public synchronized int available() throws IOException {
    return (int) Math.min(Integer.MAX_VALUE, file.length() - file.getFilePointer());
  }

  @Override
  public synchronized void seek(long position) throws IOException {
    asked &= position == file.getFilePointer();
    if (position > file.length()) {
      throw new EOFException("seek to " + position + " of " + name + ", which ends before");
    }
    file.seek(position);
  }

  @Override
  public synchronized long getPos() throws IOException {
    return file.getFilePointer();
  }

  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private static void flip(Fault fault, byte[] target, int offset, int length) {
    if (fault == Fault.FLIP && length > 0) {
      target[offset + length / 2] ^= 4;
    }
  }
}
