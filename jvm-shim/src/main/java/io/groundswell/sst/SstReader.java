package io.groundswell.sst;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CachedFile;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.filter.BloomFilter;
import io.groundswell.iter.Found;
import io.groundswell.storage.ObjectStore;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;

/**
 * Reads one SST; safe for many threads. Opening does no I/O: index, filter and properties come with
 * one read when first used, blocks with one each. All that is read lives in the cache, so a
 * reader itself holds next to nothing and needs no closing.
 */
public final class SstReader {
  /** The cache slot of the tail; block i is in slot i + 1. */
  private static final int TAIL = 0;

  private final ObjectStore store;
  private final SstInfo info;
  private final CachedFile cached;
  private final String what;

  private SstReader(ObjectStore store, SstInfo info, BlockCache cache) {
    this.store = store;
    this.info = info;
    this.what = store.location() + "/" + info.fileName();
    this.cached = cache.file(what + "@" + info.offset() + "+" + info.length(), info.blocks() + 1);
  }

  /** A reader of the SST that a manifest's record describes. */
  public static SstReader open(ObjectStore store, SstInfo info, BlockCache cache) {
    return new SstReader(store, info, cache);
  }

  public SstInfo info() {
    return info;
  }

  /** False if no row with this partition hash is in here; ask before {@link #get}. */
  public boolean mayContain(int tableId, int hash) {
    return mayContain(BloomFilter.keyOf(tableId, hash));
  }

  /** The same for a key that {@link BloomFilter#keyOf} made once for many files. */
  public boolean mayContain(long filterKey) {
    BloomFilter filter = tail().filter;
    return filter == null || filter.mayContain(filterKey);
  }

  /**
   * The newest version at or below {@code epoch} of the row whose stem (internal key without epoch)
   * is {@code stem[0, stemLength)}.
   *
   * @return {@link Found#FOUND}, {@link Found#DELETED} or {@link Found#ABSENT}
   */
  public int get(byte[] stem, int stemLength, long epoch, Found out) {
    SstTail tail = tail();
    int i = tail.index.find(stem, stemLength, epoch);
    Block block = cachedBlock(i);
    if (block == null) {
      block = loadBlock(tail.index, i, true);
    }
    return PointSearch.get(block, stem, stemLength, epoch, out);
  }

  /** A cursor before its first seek; blocks it misses enter the cache if {@code fillCache}. */
  public SstCursor cursor(boolean fillCache) {
    return new SstCursor(this, fillCache);
  }

  /** Bytes of memory that this reader keeps outside of the cache, about. */
  public long memoryBytes() {
    return 256 + 4L * (info.blocks() + 1) + 2L * what.length();
  }

  /** Size of the filter in memory; 0 if there is none. */
  public int filterBytes() {
    return tail().filterBytes;
  }

  /** Gives back what the cache holds of this file, as when it is deleted. */
  public void forget() {
    cached.drop();
  }

  /** Reads every block and checks all there is to check; raises {@code CORRUPTION} if it fails. */
  public void verify() {
    SstVerifier.verify(this, tail());
  }

  String what() {
    return what;
  }

  SstTail tail() {
    SstTail tail = (SstTail) cached.peek(TAIL);
    return tail != null ? tail : loadTail();
  }

  private SstTail loadTail() {
    long length = info.length() - info.tailOffset();
    if (length > Integer.MAX_VALUE - 8) {
      throw Frame.corrupt(what, "claims " + length + " bytes of index and filter");
    }
    SstTail tail = SstTail.parse(what, read(info.tailOffset(), (int) length), info.tailOffset());
    if (tail.index.size() != info.blocks()) {
      throw Frame.corrupt(
          what, "its record says " + info.blocks() + " blocks, its index has " + tail.index.size());
    }
    cached.put(TAIL, tail);
    return tail;
  }

  Block cachedBlock(int i) {
    return (Block) cached.get(i + 1);
  }

  Block loadBlock(SstIndex index, int i, boolean fillCache) {
    byte[] bytes = read(index.offset(i), index.length(i));
    return makeBlock(index.offset(i), bytes, 0, bytes.length, i, fillCache);
  }

  /** Checks a stored block; {@code bytes} become its own unless it was packed. */
  Block makeBlock(long offset, byte[] bytes, int at, int length, int i, boolean fillCache) {
    Frame.Content content = Frame.read(what + ", block at byte " + offset, bytes, at, length);
    Block block = new Block(what, offset, content);
    if (!fillCache) {
      return block;
    }
    Block grouped = block.grouped();
    cached.put(i + 1, grouped);
    return grouped;
  }

  /** Some bytes of the section. */
  byte[] read(long offset, int length) {
    try {
      return store.read(info.fileName(), info.offset() + offset, length);
    } catch (FileNotFoundException e) {
      throw new EngineException(ErrorCode.VERSION_UNAVAILABLE,
          what + " is missing: it was retired or deleted while a version refers to it", e);
    } catch (EOFException e) {
      throw new EngineException(ErrorCode.CORRUPTION,
          what + " is cut short: no " + length + " bytes at " + (info.offset() + offset), e);
    } catch (IOException e) {
      throw new EngineException(ErrorCode.STORAGE, "cannot read " + what, e);
    }
  }
}
