package io.groundswell.storage;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One file of a {@link DiskCache}: entries one after the other, each {@code magic u32 | name length
 * u16 | name | offset u64 | length u32 | bytes | CRC-32 of all behind the magic u32}. An entry that
 * is not whole ends the file. Safe for many threads.
 */
final class DiskCacheSegment {
  private static final int MAGIC = 0x47534443; // GSDC
  private static final int HEAD_BYTES = 6;
  private static final int RANGE_BYTES = 12;
  private static final int CHECKSUM_BYTES = 4;
  private static final int MAX_NAME = 1 << 14;
  private static final Pattern NAME = Pattern.compile("blocks-([0-9a-f]{16})");

  /** Told of each entry that a scan finds. */
  interface LookupResult {
    void at(DiskCache.Key key, long position);
  }

  private final Path path;
  private final RandomAccessFile file;
  private boolean closed;
  private long end;

  private DiskCacheSegment(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  static Path path(Path folder, long number) {
    return folder.resolve(String.format(Locale.ROOT, "blocks-%016x", number));
  }

  static boolean isOne(Path path) {
    return NAME.matcher(path.getFileName().toString()).matches();
  }

  /** Made if it is missing; what it holds is known after {@link #scan}. */
  static DiskCacheSegment open(Path path) throws IOException {
    return new DiskCacheSegment(path, new RandomAccessFile(path.toFile(), "rw"));
  }

  long number() {
    Matcher matcher = NAME.matcher(path.getFileName().toString());
    return matcher.matches() ? Long.parseUnsignedLong(matcher.group(1), 16) : -1;
  }

  /** Bytes on the disk that an entry takes. */
  static long size(DiskCache.Key key) {
    return (long) HEAD_BYTES + name(key).length + RANGE_BYTES + key.length() + CHECKSUM_BYTES;
  }

  private static byte[] name(DiskCache.Key key) {
    return key.object().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads the heads of all entries; whether the bytes are right is found out when they are read.
   */
  synchronized void scan(LookupResult found) throws IOException {
    long length = file.length();
    end = 0;
    try (DataInputStream in = new DataInputStream(
             new BufferedInputStream(new FileInputStream(path.toFile()), 1 << 16))) {
      while (length - end >= HEAD_BYTES + RANGE_BYTES + CHECKSUM_BYTES && in.readInt() == MAGIC) {
        int nameLength = in.readUnsignedShort();
        if (length - end < HEAD_BYTES + nameLength + RANGE_BYTES + CHECKSUM_BYTES) {
          break;
        }
        String name = new String(in.readNBytes(nameLength), StandardCharsets.UTF_8);
        DiskCache.Key key = new DiskCache.Key(name, in.readLong(), in.readInt());
        if (key.length() < 0 || key.offset() < 0 || length - end < size(key)) {
          break;
        }
        in.skipNBytes(key.length() + CHECKSUM_BYTES);
        found.at(key, end);
        end += size(key);
      }
    }
    file.setLength(end);
  }

  synchronized long bytes() {
    return end;
  }

  /** Returns where the entry starts. */
  synchronized long append(DiskCache.Key key, byte[] bytes) throws IOException {
    byte[] name = name(key);
    if (name.length > MAX_NAME) {
      throw new IOException("an object's name of " + name.length + " bytes");
    }
    ByteWriter entry = new ByteWriter((int) size(key));
    entry.u32(MAGIC).u16(name.length).raw(name, 0, name.length);
    entry.u64(key.offset()).u32(key.length()).raw(bytes, 0, bytes.length);
    entry.u32(Checksum.of(entry.array(), 4, entry.size() - 4));
    long position = end;
    file.seek(position);
    file.write(entry.array(), 0, entry.size());
    end += entry.size();
    return position;
  }

  /** The bytes of the entry there; null if it is not that one, or not whole. */
  byte[] read(DiskCache.Key key, long position) {
    byte[] entry = new byte[(int) size(key)];
    synchronized (this) {
      if (closed || position + entry.length > end) {
        return null;
      }
      try {
        file.seek(position);
        file.readFully(entry);
      } catch (IOException e) {
        return null;
      }
    }
    byte[] name = name(key);
    int checked = entry.length - CHECKSUM_BYTES;
    ByteReader in = new ByteReader(path.toString(), entry, 0, entry.length);
    boolean whole = in.u32() == MAGIC && in.u16() == name.length
        && Arrays.equals(in.raw(name.length), name) && in.u64() == key.offset()
        && in.u32() == key.length()
        && new ByteReader(path.toString(), entry, checked, CHECKSUM_BYTES).u32()
            == Checksum.of(entry, 4, checked - 4);
    return whole ? Arrays.copyOfRange(entry, checked - key.length(), checked) : null;
  }

  synchronized void close() throws IOException {
    closed = true;
    file.close();
  }

  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }
}
