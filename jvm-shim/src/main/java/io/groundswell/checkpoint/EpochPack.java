package io.groundswell.checkpoint;

import io.groundswell.storage.FailPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pack that takes commits, one after the other. In memory until it is published; whoever has read
 * nothing of it by then will never miss it. Safe for many threads.
 */
final class EpochPack {
  private final EpochPacks folder;
  private final String id;
  private final Pack bytes;

  /** Whether it waits to be written while later barriers are at work. */
  private final boolean waits;

  // Guarded by this.
  private final List<PackIndex.Entry> commits = new ArrayList<>();
  private final Map<String, Long> versions = new HashMap<>();
  private long taken;
  private boolean ended;

  EpochPack(EpochPacks folder, String id, boolean waits) {
    this.folder = folder;
    this.id = id;
    this.waits = waits;
    bytes = new Pack(EpochIds.packOf(id));
  }

  String name() {
    return bytes.name;
  }

  Pack bytes() {
    return bytes;
  }

  boolean waits() {
    return waits;
  }

  /** Bytes of its commits. */
  synchronized long taken() {
    return taken;
  }

  /**
   * Takes a commit of a store, unless one of that version or a later one is in here: all commits in
   * a pack have its id, and the id tells attempts at a version apart.
   *
   * @return false if it has not taken it
   */
  synchronized boolean append(String store, long version, byte[] sections, Destination.Tail tail) {
    if (ended || versions.getOrDefault(store, -1L) >= version) {
      return false;
    }
    long offset = bytes.length();
    byte[] end = tail.at(id, bytes.name, offset);
    Map<String, Long> needs = new HashMap<>(tail.packs());
    needs.putIfAbsent(bytes.name, 0L); // the manifest is in there, if there are no rows
    bytes.append(sections);
    bytes.append(end);
    long length = bytes.length() - offset;
    taken += length;
    folder.took(this, length);
    versions.put(store, version);
    commits.add(new PackIndex.Entry(
        version, new FinishedCommit(store, id, bytes.name, offset, length, needs)));
    return true;
  }

  /** What is in it now. */
  synchronized PackIndex index() {
    return PackIndex.of(commits);
  }

  /**
   * Makes it durable: one object that nobody else can have written. It takes no more. After a
   * failure this may be tried again.
   */
  void publish() throws IOException {
    end();
    FailPoints.hit("pack.before-publish");
    folder.publish(this);
    FailPoints.hit("pack.after-publish");
  }

  private synchronized void end() {
    if (!ended) {
      ended = true;
      bytes.append(PackTrailer.encode(bytes.name, commits));
      bytes.close();
    }
  }

  /** Forgets it: what was written into it is lost. Does nothing once it is published. */
  void discard() {
    folder.evict(this);
  }
}
