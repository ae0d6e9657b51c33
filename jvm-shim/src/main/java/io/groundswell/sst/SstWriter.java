package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.filter.BloomBuilder;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.storage.ByteWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/** Writes one SST section into an object. Does not close {@code out}; not thread-safe. */
public final class SstWriter {
  /** Longest value: 256 MiB. */
  public static final int MAX_VALUE = 256 << 20;

  /** The filter kinds on disk. */
  static final int NO_FILTER = 0;

  static final int SPLIT_BLOCK_BLOOM = 1;

  private final OutputStream out;
  private final long startOffset;
  private final SstOptions options;
  private final IntFunction<TableSpec.Layout> layouts;
  private final BlockBuilder block;
  private final ByteWriter index = new ByteWriter(1024);
  private final BloomBuilder filter = new BloomBuilder();
  private final KeyBounds bounds = new KeyBounds();

  private byte[] last = new byte[128];
  private int lastLength;
  private byte[] smallest;
  private int tableId = -1;
  private TableSpec.Layout layout;

  private long written;
  private int blocks;
  private long entries;
  private long tombstones;
  private long stale;
  private long minEpoch = Long.MAX_VALUE;
  private long maxEpoch;
  private long keyBytes;
  private long valueBytes;
  private boolean finished;
  private WrittenBlocks kept;

  /**
   * Starts a section.
   *
   * @param startOffset bytes already written to {@code out}: where in the object the section starts
   * @param layouts of the tables whose entries are added, by id: tells where a key's hash is.
   *     Null for a table that no one can ask for any more: its rows are not in the filter
   */
  public SstWriter(OutputStream out, long startOffset, SstOptions options,
      IntFunction<TableSpec.Layout> layouts) {
    this.out = out;
    this.startOffset = startOffset;
    this.options = options;
    this.layouts = layouts;
    this.block = new BlockBuilder(options.blockBytes());
  }

  /** Has the parts kept for the cache, too; before the first entry. */
  public SstWriter keep(WrittenBlocks blocksToKeep) {
    kept = blocksToKeep;
    return this;
  }

  /** Adds an entry; internal keys must grow strictly. All bytes are copied. */
  public void add(byte[] key, int keyLength, boolean delete, byte[] value, int valueOffset,
      int valueLength) throws IOException {
    checkLimits(keyLength, valueLength);
    int stem = keyLength - InternalKey.EPOCH_BYTES;
    long epoch = InternalKey.epochOf(key, keyLength);
    if (epoch < 0) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT, "epoch " + epoch + " is negative");
    }
    int shared = entries == 0 ? 0 : sharedWithLast(key, keyLength, stem);
    int table = InternalKey.tableOf(key);
    if (table != tableId) {
      startTable(table);
    }
    if (block.isEmpty()) {
      startBlock(key, stem, shared);
    }
    block.add(key, stem, shared, epoch, delete, value, valueOffset, delete ? 0 : valueLength);
    count(key, keyLength, delete, epoch, delete ? 0 : valueLength);
    remember(key, keyLength);
    if (block.size() >= options.blockBytes()) {
      endBlock();
    }
  }

  private void checkLimits(int keyLength, int valueLength) {
    if (finished) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE, "the SST is finished; add before finish");
    }
    if (keyLength < InternalKey.OVERHEAD || keyLength > InternalKey.MAX_LENGTH) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "an internal key of " + keyLength + " bytes; " + InternalKey.OVERHEAD + " to "
              + InternalKey.MAX_LENGTH + " wanted (user keys have at most "
              + InternalKey.MAX_USER_KEY + ")");
    }
    if (valueLength > MAX_VALUE) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "a value of " + valueLength + " bytes; the limit is " + MAX_VALUE);
    }
  }

  /** Length of the stem's prefix that the last key has too; refuses a key that is not greater. */
  private int sharedWithLast(byte[] key, int keyLength, int stem) {
    int lastStem = lastLength - InternalKey.EPOCH_BYTES;
    int at = Arrays.mismatch(key, 0, stem, last, 0, lastStem);
    boolean greater;
    if (at < 0) {
      at = stem;
      stale++;
      greater = InternalKey.compare(last, lastLength, key, keyLength) < 0;
    } else {
      greater = at == lastStem || at < stem && (key[at] & 0xFF) > (last[at] & 0xFF);
    }
    if (!greater) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "internal keys must grow: " + hex(key, keyLength) + " comes after "
              + hex(last, lastLength));
    }
    return at;
  }

  private static String hex(byte[] key, int length) {
    return java.util.HexFormat.of().formatHex(key, 0, Math.min(length, 64));
  }

  /**
   * Writes the block's separator to the index: the shortest stem that is greater than the last
   * key's. Where both keys are versions of one row it is that row with the next smaller epoch, so
   * that a look-up never has to try two blocks.
   */
  private void startBlock(byte[] key, int stem, int shared) {
    if (blocks == 0) {
      index.varint(0);
    } else if (shared == stem && stem == lastLength - InternalKey.EPOCH_BYTES) {
      index.varint((long) stem << 1 | 1).raw(key, 0, stem);
      index.u64(InternalKey.epochOf(last, lastLength) - 1);
    } else {
      index.varint((long) (shared + 1) << 1).raw(key, 0, shared + 1);
    }
  }

  private void endBlock() throws IOException {
    ByteWriter content = block.finish();
    if (kept != null) {
      kept.block(block);
    }
    int length = Frame.write(out, content, options.compression());
    index.varint(length);
    written += length;
    blocks++;
    block.reset();
  }

  /** A block is of one table, so a reader knows the layout of all of its keys. */
  private void startTable(int table) throws IOException {
    if (!block.isEmpty()) {
      endBlock();
    }
    tableId = table;
    layout = layouts.apply(table);
    block.layout(layout);
    bounds.start(table, layout);
  }

  private void count(byte[] key, int keyLength, boolean delete, long epoch, int valueLength) {
    if (layout != null) {
      filter.add(tableId, InternalKey.hashOf(layout, key, keyLength));
    }
    bounds.add(key, keyLength);
    entries++;
    tombstones += delete ? 1 : 0;
    minEpoch = Math.min(minEpoch, epoch);
    maxEpoch = Math.max(maxEpoch, epoch);
    keyBytes += keyLength;
    valueBytes += valueLength;
  }

  private void remember(byte[] key, int keyLength) {
    if (last.length < keyLength) {
      last = new byte[2 * keyLength];
    }
    System.arraycopy(key, 0, last, 0, keyLength);
    lastLength = keyLength;
    if (smallest == null) {
      smallest = Arrays.copyOf(key, keyLength);
    }
  }

  /** Bytes that the section would have if finished now, about. */
  public long estimatedSize() {
    return written + block.size() + index.size() + (long) filter.size() * options.bitsPerKey() / 8
        + 512 + SstFooter.BYTES;
  }

  public long entries() {
    return entries;
  }

  /** Writes what is left; at least one entry must have been added. */
  public SstInfo finish(String fileName) throws IOException {
    if (finished || entries == 0) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          finished ? "the SST is finished already" : "an SST has one entry at least");
    }
    finished = true;
    if (!block.isEmpty()) {
      endBlock();
    }
    long tail = written;
    ByteArrayOutputStream parts = new ByteArrayOutputStream(index.size() + filter.size() + 1024);
    int indexLength = Frame.write(parts, index, Compression.NONE);
    int filterLength = writeFilter(parts);
    byte[] largest = Arrays.copyOf(last, lastLength);
    List<KeyBound> keyBounds = bounds.finish();
    int propertiesLength = frame(parts, properties(filterLength > 0, largest, keyBounds).encode());
    long filterOffset = tail + indexLength;
    long propertiesOffset = filterOffset + filterLength;
    long length = tail + parts.size() + SstFooter.BYTES;
    parts.write(new SstFooter(
        tail, indexLength, filterOffset, filterLength, propertiesOffset, propertiesLength, length)
            .encode());
    parts.writeTo(out);
    written = length;
    SstInfo info = new SstInfo(fileName, startOffset, length, tail, blocks, entries, tombstones,
        minEpoch, maxEpoch, smallest, largest, keyBounds);
    if (kept != null) {
      kept.finish(info, parts.toByteArray());
    }
    return info;
  }

  private int writeFilter(OutputStream parts) throws IOException {
    byte[] bits = filter.build(options.bitsPerKey());
    return bits.length == 0 ? 0 : frame(parts, bits);
  }

  /** The parts behind the data blocks are stored plain: they are read once and kept. */
  private static int frame(OutputStream parts, byte[] content) throws IOException {
    ByteWriter copy = new ByteWriter(content.length + Frame.TRAILER_BYTES);
    return Frame.write(parts, copy.raw(content, 0, content.length), Compression.NONE);
  }

  private Properties properties(boolean filtered, byte[] largest, List<KeyBound> keyBounds) {
    ByteWriter bound = new ByteWriter(32).varint(keyBounds.size());
    keyBounds.forEach(one -> one.encode(bound));
    return new Properties()
        .with(Properties.BLOCKS, blocks)
        .with(Properties.ENTRIES, entries)
        .with(Properties.TOMBSTONES, tombstones)
        .with(Properties.STALE, stale)
        .with(Properties.MIN_EPOCH, minEpoch)
        .with(Properties.MAX_EPOCH, maxEpoch)
        .with(Properties.SMALLEST, smallest)
        .with(Properties.LARGEST, largest)
        .with(Properties.KEY_BOUNDS, bound.toBytes())
        .with(Properties.KEY_BYTES, keyBytes)
        .with(Properties.VALUE_BYTES, valueBytes)
        .with(Properties.COMPRESSION, options.compression().flag)
        .with(Properties.FILTER_KIND, filtered ? SPLIT_BLOCK_BLOOM : NO_FILTER)
        .with(Properties.FILTER_KEYS, filter.size());
  }
}
