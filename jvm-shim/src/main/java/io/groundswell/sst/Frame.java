package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import java.io.IOException;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * How each part of an SST is stored: {@code payload | compression (1) | CRC-32 of both (4)}. An LZ4
 * payload is the content's length (4), then an LZ4 block.
 */
final class Frame {
  static final int TRAILER_BYTES = 5;

  /** LZ4 cannot pack tighter; a greater claimed length is a lie. */
  private static final int MAX_LZ4_RATIO = 255;

  private static final LZ4Factory LZ4 = LZ4Factory.fastestInstance();

  private Frame() {}

  /** Writes content as a frame; returns the frame's length. */
  static int write(OutputStream out, byte[] content, int length, Compression compression)
      throws IOException {
    ByteWriter frame = null;
    if (compression == Compression.LZ4) {
      frame = packed(content, length);
    }
    if (frame == null) {
      frame = new ByteWriter(length + TRAILER_BYTES).raw(content, 0, length).u8(0);
    }
    frame.u32(Checksum.of(frame.array(), 0, frame.size()));
    out.write(frame.array(), 0, frame.size());
    return frame.size();
  }

  /** The content packed with its flag, or null if that saves less than an eighth. */
  private static ByteWriter packed(byte[] content, int length) {
    byte[] packed = new byte[LZ4.fastCompressor().maxCompressedLength(length)];
    int size = LZ4.fastCompressor().compress(content, 0, length, packed, 0);
    if (size > length - length / 8) {
      return null;
    }
    ByteWriter frame = new ByteWriter(size + 4 + TRAILER_BYTES);
    return frame.u32(length).raw(packed, 0, size).u8(Compression.LZ4.ordinal());
  }

  /** Content of a frame: some bytes of an array. */
  record Content(byte[] bytes, int offset, int length) {}

  /**
   * Checks a frame and unpacks it; content that is stored plain is not copied.
   *
   * @param what names the frame in errors
   */
  static Content read(String what, byte[] bytes, int offset, int length) {
    int payload = length - TRAILER_BYTES;
    if (payload < 0) {
      throw corrupt(what, "has " + length + " bytes; a frame has " + TRAILER_BYTES + " at least");
    }
    int flag = bytes[offset + payload];
    int stored = intAt(bytes, offset + payload + 1);
    int actual = Checksum.of(bytes, offset, payload + 1);
    if (stored != actual) {
      throw corrupt(
          what, String.format("checksum is %08x, but its bytes have %08x", stored, actual));
    }
    if (flag == Compression.NONE.ordinal()) {
      return new Content(bytes, offset, payload);
    }
    if (flag != Compression.LZ4.ordinal()) {
      throw corrupt(what, "unknown compression " + flag);
    }
    return unpack(what, bytes, offset, payload);
  }

  private static Content unpack(String what, byte[] bytes, int offset, int payload) {
    int packed = payload - 4;
    int length = packed < 0 ? -1 : intAt(bytes, offset);
    if (length < 0 || length > (long) packed * MAX_LZ4_RATIO) {
      throw corrupt(what, "claims " + length + " bytes packed into " + packed);
    }
    byte[] content = new byte[length];
    try {
      int made = LZ4.safeDecompressor().decompress(bytes, offset + 4, packed, content, 0, length);
      if (made != length) {
        throw corrupt(what, "unpacks to " + made + " bytes instead of " + length);
      }
    } catch (LZ4Exception e) {
      throw new EngineException(ErrorCode.CORRUPTION, what + ": cannot be unpacked", e);
    }
    return new Content(content, 0, length);
  }

  static int intAt(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8
        | bytes[at + 3] & 0xFF;
  }

  static EngineException corrupt(String what, String problem) {
    return new EngineException(ErrorCode.CORRUPTION, what + ": " + problem);
  }
}
