package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * How each part of an SST is stored: {@code payload | compression (1) | CRC-32 of both (4)}. A
 * payload that is not the content itself is {@link BlockCompression}'s.
 */
final class Frame {
  static final int TRAILER_BYTES = 5;

  private Frame() {}

  /**
   * Writes content as a frame. What is stored plain is not copied: the trailer is appended to it.
   *
   * @return the frame's length
   */
  static int write(OutputStream out, ByteWriter content, Compression compression)
      throws IOException {
    ByteWriter frame = BlockCompression.compress(compression, content.array(), content.size());
    if (frame == null) {
      frame = content.u8(Compression.NONE.flag);
    }
    frame.u32(Checksum.of(frame.array(), 0, frame.size()));
    out.write(frame.array(), 0, frame.size());
    return frame.size();
  }

  /** Content of a frame: some bytes of an array. */
  record Content(byte[] bytes, int offset, int length) {}

  /**
   * Checks a frame and unpacks it; content that is stored plain is not copied.
   *
   * @param what names the frame in errors
   */
  static Content read(String what, byte[] bytes, int offset, int length) {
    return read(() -> what, bytes, offset, length);
  }

  /** As above; {@code what} is asked only if there is an error. */
  static Content read(Supplier<String> what, byte[] bytes, int offset, int length) {
    return read(what, bytes, offset, length, byte[] ::new);
  }

  /**
   * As above.
   *
   * @param room gives an array of at least so many bytes for what is unpacked
   */
  static Content read(
      Supplier<String> what, byte[] bytes, int offset, int length, IntFunction<byte[]> room) {
    int payload = length - TRAILER_BYTES;
    if (payload < 0) {
      throw corrupt(
          what.get(), "has " + length + " bytes; a frame has " + TRAILER_BYTES + " at least");
    }
    int flag = bytes[offset + payload];
    int stored = intAt(bytes, offset + payload + 1);
    int actual = Checksum.of(bytes, offset, payload + 1);
    if (stored != actual) {
      throw corrupt(
          what.get(), String.format("checksum is %08x, but its bytes have %08x", stored, actual));
    }
    if (flag == Compression.NONE.flag) {
      return new Content(bytes, offset, payload);
    }
    if (flag < 0 || flag > Compression.ZSTD.flag) {
      throw corrupt(what.get(), "unknown compression " + flag);
    }
    return BlockCompression.decompress(what, flag, bytes, offset, payload, room);
  }

  static int intAt(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8
        | bytes[at + 3] & 0xFF;
  }

  static EngineException corrupt(String what, String problem) {
    return new EngineException(ErrorCode.CORRUPTION, what + ": " + problem);
  }
}
