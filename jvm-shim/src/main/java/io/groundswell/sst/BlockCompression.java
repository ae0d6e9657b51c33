package io.groundswell.sst;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteWriter;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * Compresses content and decompresses it: the content's length (4), then an LZ4 block or a Zstd
 * frame.
 */
final class BlockCompression {
  private static final int LENGTH_BYTES = 4;

  /**
   * LZ4 cannot compress more, and what Zstd would is left to LZ4: so a greater claimed length is a
   * lie, and a reader allocates no more than this many times what it was given.
   */
  private static final int MAX_RATIO = 255;

  /** Compressed bytes of larger content are not kept by their thread. */
  private static final int MAX_REUSED = 64 << 10;

  private static final LZ4Factory LZ4 = LZ4Factory.fastestInstance();

  /** Its tables are larger than a block: made once for each of the few threads that write. */
  private static final ThreadLocal<ZstdCompressCtx> ZSTD =
      ThreadLocal.withInitial(ZstdCompressCtx::new);

  /** Likewise, for threads that read. */
  private static final ThreadLocal<ZstdDecompressCtx> UNZSTD =
      ThreadLocal.withInitial(ZstdDecompressCtx::new);

  private static final ThreadLocal<ByteWriter> COMPRESSED =
      ThreadLocal.withInitial(() -> new ByteWriter(8 << 10));

  private BlockCompression() {}

  /**
   * The compressed content, and the flag of its compression; null if that saves less than an
   * eighth. The bytes are the thread's own, and valid until it compresses again.
   */
  static ByteWriter compress(Compression compression, byte[] content, int length) {
    if (compression == Compression.NONE) {
      return null;
    }
    ByteWriter out = length > MAX_REUSED ? new ByteWriter(length) : COMPRESSED.get();
    out.reset();
    out.u32(length);
    if (compression.flag == Compression.ZSTD.flag) {
      int bound = Math.toIntExact(Zstd.compressBound(length));
      ZstdCompressCtx zstd = ZSTD.get().setLevel(compression.level);
      int size =
          zstd.compressByteArray(out.room(bound).array(), LENGTH_BYTES, bound, content, 0, length);
      if (length <= (long) size * MAX_RATIO) {
        return finish(out, compression, size, length);
      }
    }
    int bound = LZ4.fastCompressor().maxCompressedLength(length);
    int size = LZ4.fastCompressor().compress(
        content, 0, length, out.room(bound).array(), LENGTH_BYTES, bound);
    return finish(out, Compression.LZ4, size, length);
  }

  private static ByteWriter finish(ByteWriter out, Compression compression, int size, int length) {
    return size > length - length / 8 ? null : out.skip(size).u8(compression.flag);
  }

  /**
   * Decompresses {@code bytes[offset, offset + payload)}.
   *
   * @param what names it in errors
   * @param room gives an array of at least so many bytes
   */
  static Frame.Content decompress(Supplier<String> what, int flag, byte[] bytes, int offset,
      int payload, IntFunction<byte[]> room) {
    int compressed = payload - LENGTH_BYTES;
    int length = compressed < 0 ? -1 : Frame.intAt(bytes, offset);
    if (length < 0 || length > (long) compressed * MAX_RATIO) {
      throw Frame.corrupt(what.get(), "claims " + length + " bytes compressed into " + compressed);
    }
    byte[] content = room.apply(length);
    int from = offset + LENGTH_BYTES;
    long made;
    try {
      made = flag == Compression.ZSTD.flag
          ? UNZSTD.get().decompressByteArray(content, 0, length, bytes, from, compressed)
          : LZ4.safeDecompressor().decompress(bytes, from, compressed, content, 0, length);
    } catch (LZ4Exception | ZstdException e) {
      throw new EngineException(ErrorCode.CORRUPTION, what.get() + ": cannot be decompressed", e);
    }
    if (made != length) {
      throw Frame.corrupt(what.get(), "decompresses to " + made + " bytes instead of " + length);
    }
    return new Frame.Content(content, 0, length);
  }
}
