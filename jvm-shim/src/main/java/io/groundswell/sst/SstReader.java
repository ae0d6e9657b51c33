package io.groundswell.sst;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.cache.CachedFile;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.filter.BloomFilter;
import io.groundswell.filter.FilterKey;
import io.groundswell.iter.LookupResult;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.SideRequests;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Reads one SST; safe for many threads. Opening does no I/O: index, filter and properties come with
 * one read when first used (a large index later, where requests are cheap), blocks with one each.
 * Blocks live in the cache; index and filter are pinned there while a reader of the file is in use.
 * Needs no closing.
 */
public final class SstReader {
  /** A larger block is read into an array of its own: a reader keeps its buffer. */
  static final int MAX_BUFFER = 64 << 10;

  /** Where requests are cheap, the index of a larger tail is read when it is needed. */
  private static final int SMALL_TAIL = 64 << 10;

  private final ObjectStore store;
  private final SstInfo info;
  private final BlockCache cache;
  private final String what;
  private final int smallTail;

  /** Of the file's slots in the cache. */
  private final String slots;

  /** Null where each block is worth a request. */
  private final ReadAround around;

  /** What is pinned with the slots. */
  private volatile SstTail tail;

  /** Held while the tail is read, so that it is read once. */
  private final Object loading = new Object();

  private SstReader(ObjectStore store, SstInfo info, BlockCache cache, int smallTail) {
    this.smallTail = smallTail;
    this.store = store;
    this.info = info;
    this.what = store.locationOf(info.fileName());
    this.cache = cache;
    this.slots = what + "@" + info.offset() + "+" + info.length();
    this.around = store.hasHighLatency() ? new ReadAround(this) : null;
  }

  /** A reader of the SST that a manifest's record describes. */
  public static SstReader open(ObjectStore store, SstInfo info, BlockCache cache) {
    return new SstReader(store, info, cache, SMALL_TAIL);
  }

  /** The same; the index of a tail of more bytes than that is read when it is needed. */
  static SstReader open(ObjectStore store, SstInfo info, BlockCache cache, int smallTail) {
    return new SstReader(store, info, cache, smallTail);
  }

  public SstInfo info() {
    return info;
  }

  /** False if every pair passes. */
  public boolean hasFilter() {
    return tail().filter != null;
  }

  /** False if no row of the pair is in here; ask before {@link #get}. */
  public boolean mayContain(FilterKey key) {
    BloomFilter filter = tail().filter;
    return filter == null || filter.mayContain(key) || !FastPath.FILTER.isOpen();
  }

  /**
   * The newest version at or below {@code epoch} of the row whose stem (internal key without epoch)
   * is {@code stem[0, stemLength)}.
   *
   * @return {@link LookupResult#FOUND}, {@link LookupResult#DELETED} or {@link LookupResult#ABSENT}
   */
  public int get(
      byte[] stem, int stemLength, long epoch, LookupResult out, CacheCounters counters) {
    SstTail now = tail();
    SstIndex index = now.index(this);
    int i = index.find(stem, stemLength, epoch);
    byte[] bytes = (byte[]) now.cached.get(i);
    if (bytes == null) {
      counters.misses++;
      if (around != null) {
        return get(around.missed(index, i, counters), stem, stemLength, epoch, out);
      }
      if (now.cached.admits(i, index.length(i))) {
        return get(loadBlock(index, i, true), stem, stemLength, epoch, out);
      }
      return index.length(i) <= MAX_BUFFER
          ? getOnce(index, i, stem, stemLength, epoch, out)
          : get(loadBlock(index, i, false), stem, stemLength, epoch, out);
    }
    counters.hits++;
    if (index.heads.groups(i) == 0) {
      return get(view(index, i, bytes), stem, stemLength, epoch, out);
    }
    try {
      return PointSearch.get(this, index, i, bytes, stem, stemLength, epoch, out);
    } catch (IndexOutOfBoundsException e) {
      throw view(index, i, bytes).beyond();
    }
  }

  private static int get(Block block, byte[] stem, int stemLength, long epoch, LookupResult out) {
    try {
      return PointSearch.get(block, stem, stemLength, epoch, out);
    } catch (IndexOutOfBoundsException e) {
      throw block.beyond();
    }
  }

  /** As get, from a block that is not kept: it is read into a buffer, and the value copied. */
  private int getOnce(
      SstIndex index, int i, byte[] stem, int stemLength, long epoch, LookupResult out) {
    int length = index.length(i);
    byte[] buffer = out.buffer(length);
    read(() -> {
      store.read(info.fileName(), info.offset() + index.offset(i), length, buffer);
      return buffer;
    }, index.offset(i), length);
    Frame.Content content =
        Frame.read(() -> blockAt(index.offset(i)), buffer, 0, length, out::unpacked);
    Block block = new Block(what, index.offset(i), content);
    int found = get(block, stem, stemLength, epoch, out);
    if (found == LookupResult.FOUND) {
      out.value = Arrays.copyOfRange(out.value, out.offset, out.offset + out.length);
      out.offset = 0;
    }
    return found;
  }

  /** A block that a cursor missed. */
  Block missed(SstIndex index, int i, boolean fillCache, CacheCounters counters) {
    if (around == null) {
      return loadBlock(index, i, fillCache);
    }
    return fillCache ? around.missed(index, i, counters) : around.alone(index, i, false);
  }

  /** A missed block, if it is being read with others at this moment; else null. */
  Block awaited(SstIndex index, int i) {
    return around == null ? null : around.awaited(index, i);
  }

  /**
   * Where requests are slow, begins beside the caller to read all blocks.
   *
   * @param room bytes that may come into the cache
   * @return how many of them the file takes; 0 if it is larger and nothing was begun
   */
  public long beginAll(long room) {
    if (around == null || info.length() > room) {
      return 0;
    }
    around.beginAll();
    return info.length();
  }

  /** A cursor before its first seek; blocks it misses enter the cache if {@code fillCache}. */
  public SstCursor cursor(boolean fillCache, CacheCounters counters) {
    return new SstCursor(this, fillCache, counters);
  }

  /** Bytes of memory that an open reader keeps outside of slots, about; does no I/O. */
  public long memoryBytes() {
    return 976 + 48L * info.blocks() + 2L * what.length() + info.length() - info.tailOffset();
  }

  /** Size of the filter in memory; 0 if there is none. */
  public int filterBytes() {
    return tail().filterBytes;
  }

  /** Keys in the filter; 0 if there is none. */
  public long filterKeys() {
    return tail().filterKeys;
  }

  /**
   * Puts an SST's parts into the cache: the bytes from its tail on, and its first blocks.
   */
  void adopt(byte[] tailBytes, List<WrittenBlocks.Kept> blocks) {
    SstTail now = pin(tailBytes);
    tail = now;
    for (int i = 0; i < blocks.size(); i++) {
      WrittenBlocks.Kept kept = blocks.get(i);
      keep(i, new Block(what, now.index(this).offset(i), kept.bytes(), kept.groups()));
    }
  }

  /** Blocks in the cache that were used there; does no I/O. */
  public int usedBlocks() {
    SstTail now = tail;
    return now == null ? 0 : now.cached.usedSlots();
  }

  /** Bytes and keys of the filter, if it is in memory; does no I/O. */
  public void addFilterSize(FilterSize size) {
    SstTail now = tail;
    if (now != null && now.filter != null) {
      size.add(now.filterBytes, now.filterKeys);
    }
  }

  /**
   * Gives back all memory, as when the file was deleted or replaced. Reads go on, and begin anew.
   */
  public void forget() {
    SstTail now = tail;
    CachedFile file = now == null ? cache.known(slots) : now.cached;
    tail = null;
    if (file != null) {
      file.retire();
    }
  }

  /** Reads every block and checks all there is to check; raises {@code CORRUPTION} if it fails. */
  public void verify() {
    SstVerifier.verify(this, tail());
  }

  String what() {
    return what;
  }

  SstTail tail() {
    SstTail now = tail;
    return now == null ? firstTail() : now;
  }

  private SstTail firstTail() {
    synchronized (loading) {
      SstTail now = tail;
      if (now == null) {
        CachedFile known = cache.known(slots);
        boolean same = known != null && known.slotCount() == info.blocks();
        now = same ? (SstTail) known.pinned() : null;
        tail = now;
      }
      return now == null ? loadTail() : now;
    }
  }

  /**
   * Where requests are slow, begins beside the caller what a first use would have to read. What
   * goes wrong that use will meet, too.
   */
  public void prefetch() {
    if (tail == null && around != null) {
      SideRequests.begin(this::tail);
    }
  }

  private SstTail loadTail() {
    long length = info.length() - info.tailOffset();
    if (length > Integer.MAX_VALUE - 8) {
      throw Frame.corrupt(what, "claims " + length + " bytes of index and filter");
    }
    if (around == null && length > smallTail) {
      tail = pin(SstTail.withoutIndex(this, info.tailOffset(), info.length()));
      return tail;
    }
    if (around == null || !FetchPlan.takesSection(info.length())
        || !cache.hasRoomFor(info.length())) {
      tail = pin(read(info.tailOffset(), (int) length));
      return tail;
    }
    byte[] section = read(0, (int) info.length());
    tail = pin(Arrays.copyOfRange(section, (int) info.tailOffset(), section.length));
    around.keepAll(section);
    return tail;
  }

  private SstTail pin(byte[] tailBytes) {
    return pin(SstTail.parse(what, tailBytes, info.tailOffset()));
  }

  private SstTail pin(SstTail parsed) {
    if (parsed.blocks() != info.blocks()) {
      throw Frame.corrupt(
          what, "its record says " + info.blocks() + " blocks, its properties " + parsed.blocks());
    }
    // Not before it is known that the file has so many blocks: records may lie.
    Object pinned = null;
    while (pinned == null) { // the file may be retired in between
      CachedFile file = cache.file(slots, info.blocks());
      pinned = file.pin(parsed.in(file), parsed.weight());
    }
    return (SstTail) pinned;
  }

  boolean hasHighLatency() {
    return around != null;
  }

  boolean hasRoomFor(long bytes) {
    return cache.hasRoomFor(bytes);
  }

  boolean isCached(int i) {
    return tail().cached.peek(i) != null;
  }

  /** The block, if it is in the cache. */
  Block cachedBlock(int i) {
    return cachedBlock(i, true);
  }

  /** The block, if it is in the cache; whether that counts as a use of it. */
  Block cachedBlock(int i, boolean use) {
    SstTail now = tail(); // its index knows what is in its slots; an older one does not
    byte[] bytes = (byte[]) (use ? now.cached.get(i) : now.cached.peek(i));
    return bytes == null ? null : view(now.index(this), i, bytes);
  }

  /** A cached block's array as a block. */
  Block view(SstIndex index, int i, byte[] bytes) {
    return new Block(what, index.offset(i), bytes, index.heads, i);
  }

  /** The block from storage; it enters the cache if that admits it, unless {@code !fillCache}. */
  Block loadBlock(SstIndex index, int i, boolean fillCache) {
    byte[] bytes = read(index.offset(i), index.length(i));
    return makeBlock(index.offset(i), bytes, 0, bytes.length, i, fillCache);
  }

  /**
   * Checks a stored block; {@code bytes} become its own unless it was packed. It enters the cache
   * if that admits it, unless {@code !fillCache}.
   */
  Block makeBlock(long offset, byte[] bytes, int at, int length, int i, boolean fillCache) {
    Block block = new Block(what, offset, frame(offset, bytes, at, length));
    boolean kept = fillCache && (around != null || tail().cached.admits(i, length));
    return kept ? keep(i, block.forCache()) : block;
  }

  private Frame.Content frame(long offset, byte[] bytes, int at, int length) {
    return Frame.read(() -> blockAt(offset), bytes, at, length);
  }

  private String blockAt(long offset) {
    return what + ", block at byte " + offset;
  }

  private Block keep(int i, Block own) {
    SstTail now = tail();
    now.index(this).heads.set(i, own);
    now.cached.put(i, own.bytes, own.weight());
    return own;
  }

  /** Some bytes of the section. */
  byte[] read(long offset, int length) {
    return read(() -> store.read(info.fileName(), info.offset() + offset, length), offset, length);
  }

  private interface Request {
    byte[] bytes() throws IOException;
  }

  private byte[] read(Request request, long offset, int length) {
    try {
      return request.bytes();
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
