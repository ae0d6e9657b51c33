package io.groundswell.sst;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteWriter;
import java.util.function.Supplier;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/** Packs content and unpacks it: the content's length (4), then an LZ4 block or a Zstd frame. */
final class Packing {
  private static final int LENGTH_BYTES = 4;

  /**
   * LZ4 cannot pack tighter, and what Zstd would is left to LZ4: so a greater claimed length is a
   * lie, and a reader allocates no more than this many times what it was given.
   */
  private static final int MAX_RATIO = 255;

  /** Twice the speed of Zstd's own default for a few percent more bytes. */
  private static final int ZSTD_LEVEL = 1;

  private static final LZ4Factory LZ4 = LZ4Factory.fastestInstance();

  /** Their tables are larger than a block: made once for each of the few threads that need them. */
  private static final ThreadLocal<ZstdCompressCtx> ZSTD =
      ThreadLocal.withInitial(() -> new ZstdCompressCtx().setLevel(ZSTD_LEVEL));

  private static final ThreadLocal<ZstdDecompressCtx> UNZSTD =
      ThreadLocal.withInitial(ZstdDecompressCtx::new);

  /** Where blocks are packed, by thread: most need far less than they may need. */
  private static final ThreadLocal<byte[]> SCRATCH = ThreadLocal.withInitial(() -> new byte[0]);

  private static final int MAX_SCRATCH = 256 << 10;

  private Packing() {}

  /**
   * The content packed, with {@code room} bytes to spare behind it and the flag of what packed it
   * as the first of these; null if that saves less than an eighth.
   */
  static ByteWriter pack(Compression compression, byte[] content, int length, int room) {
    if (compression == Compression.NONE) {
      return null;
    }
    if (compression == Compression.ZSTD) {
      byte[] packed = scratch(Math.toIntExact(Zstd.compressBound(length)));
      int size = ZSTD.get().compressByteArray(packed, 0, packed.length, content, 0, length);
      if (length <= (long) size * MAX_RATIO) {
        return packed(compression, packed, size, length, room);
      }
    }
    LZ4Compressor lz4 = LZ4.fastCompressor();
    byte[] packed = scratch(lz4.maxCompressedLength(length));
    int size = lz4.compress(content, 0, length, packed, 0);
    return packed(Compression.LZ4, packed, size, length, room);
  }

  private static byte[] scratch(int length) {
    byte[] scratch = SCRATCH.get();
    if (scratch.length >= length) {
      return scratch;
    }
    byte[] larger = new byte[length];
    if (length <= MAX_SCRATCH) {
      SCRATCH.set(larger);
    }
    return larger;
  }

  private static ByteWriter packed(
      Compression compression, byte[] packed, int size, int length, int room) {
    if (size > length - length / 8) {
      return null;
    }
    ByteWriter out = new ByteWriter(LENGTH_BYTES + size + room);
    return out.u32(length).raw(packed, 0, size).u8(compression.ordinal());
  }

  /** Unpacks {@code bytes[offset, offset + payload)}; {@code what} names it in errors. */
  static byte[] unpack(Supplier<String> what, int flag, byte[] bytes, int offset, int payload) {
    int packed = payload - LENGTH_BYTES;
    int length = packed < 0 ? -1 : Frame.intAt(bytes, offset);
    if (length < 0 || length > (long) packed * MAX_RATIO) {
      throw Frame.corrupt(what.get(), "claims " + length + " bytes packed into " + packed);
    }
    byte[] content = new byte[length];
    int from = offset + LENGTH_BYTES;
    long made;
    try {
      made = flag == Compression.ZSTD.ordinal()
          ? UNZSTD.get().decompressByteArray(content, 0, length, bytes, from, packed)
          : LZ4.safeDecompressor().decompress(bytes, from, packed, content, 0, length);
    } catch (LZ4Exception | ZstdException e) {
      throw new EngineException(ErrorCode.CORRUPTION, what.get() + ": cannot be unpacked", e);
    }
    if (made != length) {
      throw Frame.corrupt(what.get(), "unpacks to " + made + " bytes instead of " + length);
    }
    return content;
  }
}
