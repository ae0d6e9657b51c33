package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.Mark;
import io.groundswell.storage.StorageErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The packs that some commits of one epoch go to: those of a task, or those of all tasks of a
 * barrier in this process. In memory until they are published; a pack that has grown large is
 * published by the task that made it so, or, where packs wait for their barrier to be written, is
 * closed. Safe for many threads.
 */
public final class OpenPacks {
  /** What is larger is published, and another one begun: so much is kept for one commit at most. */
  static final long MOST_BYTES = 4 << 20;

  /** A larger commit is written at once: it would cost more memory than its upload costs time. */
  private static final long MOST_WAITING = 32 << 20;

  private final EpochPacks folder;
  private final long epoch;

  /** Whether packs are written when the barriers that come are at work. */
  private final boolean wait;

  // Guarded by this.

  /** By group, those that take commits. */
  private final Map<Integer, List<EpochPack>> open = new LinkedHashMap<>();

  /** By name, those that are not durable. */
  private final Map<String, EpochPack> held = new LinkedHashMap<>();

  private final Set<String> durable = new HashSet<>();
  private boolean ended;

  OpenPacks(EpochPacks folder, long epoch, boolean wait) {
    this.folder = folder;
    this.epoch = epoch;
    this.wait = wait;
  }

  /**
   * Where commits of a store go: into these packs, unless they are large.
   *
   * @param group of the packs, see {@link EpochIds}
   */
  public Destination of(int group, String store) {
    return new Shared(group, store);
  }

  private final class Shared implements Destination {
    private final int group;
    private final String store;

    Shared(int group, String store) {
      this.group = group;
      this.store = store;
    }

    /**
     * A large one needs a pack to itself, which is worth it if that need not be written at once.
     */
    @Override
    public boolean packs(long memoryBytes) {
      return !isLarge(memoryBytes)
          || wait && memoryBytes <= MOST_WAITING && EpochPacks.hasRoom(memoryBytes);
    }

    @Override
    public Set<String> pack(String id, long version, long memoryBytes, byte[] sections, Tail tail) {
      EpochPack full = append(group, store, version, sections, tail, isLarge(memoryBytes));
      if (full != null) {
        publish(full);
      }
      return Set.of();
    }

    /** A pack is kept as a whole for the last of its commits. */
    private boolean isLarge(long memoryBytes) {
      return memoryBytes > EpochSpace.MOST_BYTES;
    }
  }

  /** Gives the pack if it is full now, and is to be written at once. */
  private synchronized EpochPack append(int group, String store, long version, byte[] sections,
      Destination.Tail tail, boolean alone) {
    if (ended) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          folder.location() + ": a commit of " + store + " comes when its barrier, of epoch "
              + epoch + ", is over");
    }
    List<EpochPack> packs =
        alone ? new ArrayList<>() : open.computeIfAbsent(group, any -> new ArrayList<>());
    EpochPack into = null;
    for (int i = 0; into == null && i < packs.size(); i++) {
      into = packs.get(i).append(store, version, sections, tail) ? packs.get(i) : null;
    }
    if (into == null) {
      into = folder.begin(group, epoch, wait);
      held.put(into.name(), into);
      packs.add(into);
      into.append(store, version, sections, tail);
    }
    if (into.bytes().length() <= MOST_BYTES) {
      return null;
    }
    Mark.PACK_IS_FULL.hit();
    packs.remove(into);
    return wait && EpochPacks.hasRoom(0) ? null : into;
  }

  /** Makes durable what was packed so far, if anything. */
  public void publish() {
    List<EpochPack> packs;
    synchronized (this) {
      open.clear();
      packs = List.copyOf(held.values());
    }
    packs.forEach(this::publish);
  }

  /**
   * Makes these packs durable, and forgets all others, as {@link #keepOnly}. After a failure this
   * may be tried again.
   *
   * @return those that never were here, or are gone
   */
  List<String> publishOnly(Collection<String> names) {
    List<String> missing = keepOnly(names);
    publishHeld();
    return missing;
  }

  /**
   * Forgets all packs but these: nobody has named them. No commit is taken any more.
   *
   * @return those that never were here, or are gone
   */
  synchronized List<String> keepOnly(Collection<String> names) {
    end();
    held.values().removeIf(pack -> {
      boolean named = names.contains(pack.name());
      if (!named) {
        Mark.PACK_NOBODY_NAMED.hit();
        pack.discard();
      }
      return !named;
    });
    return names.stream()
        .filter(name -> !held.containsKey(name) && !durable.contains(name))
        .toList();
  }

  /** Makes durable what is kept, several at once. After a failure this may be tried again. */
  void publishHeld() {
    List<EpochPack> packs;
    synchronized (this) {
      packs = List.copyOf(held.values());
    }
    Uploads.all(packs, this::publish);
  }

  private void publish(EpochPack pack) {
    try {
      pack.publish();
    } catch (IOException e) {
      throw StorageErrors.cannot("write the commits of " + pack.name(), e);
    }
    synchronized (this) {
      held.remove(pack.name());
      durable.add(pack.name());
    }
  }

  /** Forgets what is not durable; no commit is taken any more. */
  public synchronized void discard() {
    end();
    held.values().forEach(EpochPack::discard);
    held.clear();
  }

  private synchronized void end() {
    ended = true;
    open.clear();
  }
}
