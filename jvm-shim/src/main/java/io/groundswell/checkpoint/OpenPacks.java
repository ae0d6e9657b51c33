package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.StorageErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The packs that some commits of one epoch go to: those of a task, or those of all tasks of a
 * barrier in this process. In memory until they are published; a pack that has grown large is
 * published by the task that made it so. Safe for many threads.
 */
public final class OpenPacks {
  /** What is larger is published, and another one begun: so much is kept for one commit at most. */
  static final long MOST_BYTES = 4 << 20;

  private final EpochPacks folder;
  private final long epoch;

  // Guarded by this.

  /** By group, those that take commits. */
  private final Map<Integer, List<EpochPack>> open = new LinkedHashMap<>();

  /** By name, those that are not durable. */
  private final Map<String, EpochPack> held = new LinkedHashMap<>();

  private final Set<String> durable = new HashSet<>();
  private boolean ended;

  OpenPacks(EpochPacks folder, long epoch) {
    this.folder = folder;
    this.epoch = epoch;
  }

  /**
   * What {@code commit} commits on this thread goes into a pack, unless it is large.
   *
   * @param group of the pack, see {@link EpochIds}
   */
  public <T> T within(int group, Supplier<T> commit) {
    Taker taker = new Taker(group);
    T result = EpochSpace.within(taker, commit);
    if (taker.full != null) {
      publish(taker.full);
    }
    return result;
  }

  /** Puts the commits of one thread into packs of a group. */
  final class Taker {
    private final int group;

    /** The pack that has grown large by what it took. */
    private EpochPack full;

    private Taker(int group) {
      this.group = group;
    }

    EpochPacks folder() {
      return folder;
    }

    CommitSpace.PackEnd end(String store) {
      return (version, sections, tail) -> full = append(group, store, version, sections, tail);
    }
  }

  /** Gives the pack if it is full now. */
  private synchronized EpochPack append(
      int group, String store, long version, byte[] sections, CommitSpace.PackEnd.Tail tail) {
    if (ended) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          folder.location() + ": a commit of " + store + " comes when its barrier, of epoch "
              + epoch + ", is over");
    }
    List<EpochPack> packs = open.computeIfAbsent(group, any -> new ArrayList<>());
    EpochPack into = null;
    for (int i = 0; into == null && i < packs.size(); i++) {
      into = packs.get(i).append(store, version, sections, tail) ? packs.get(i) : null;
    }
    if (into == null) {
      into = folder.begin(group, epoch);
      held.put(into.name(), into);
      packs.add(into);
      into.append(store, version, sections, tail);
    }
    if (into.bytes().length() <= MOST_BYTES) {
      return null;
    }
    packs.remove(into);
    return into;
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
   * Makes these packs durable, and forgets all others: nobody has named them. After a failure this
   * may be tried again. No commit is taken any more.
   *
   * @return those that never were here, or are gone
   */
  List<String> publishOnly(Collection<String> names) {
    List<EpochPack> packs = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    synchronized (this) {
      end();
      held.values().removeIf(pack -> {
        boolean named = names.contains(pack.name());
        if (named) {
          packs.add(pack);
        } else {
          pack.discard();
        }
        return !named;
      });
      names.stream()
          .filter(name -> !held.containsKey(name) && !durable.contains(name))
          .forEach(missing::add);
    }
    packs.forEach(this::publish);
    return missing;
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
