package io.groundswell.checkpoint;

import io.groundswell.storage.FailPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pack that takes commits of one task, one after the other. In memory until it is published;
 * whoever has read nothing of it by then will never miss it. Written by one thread.
 */
public final class EpochPack {
  private final EpochPacks folder;
  private final String id;
  private final Pack bytes;
  private final List<EpochPackIndex.Entry> commits = new ArrayList<>();

  EpochPack(EpochPacks folder, String id) {
    this.folder = folder;
    this.id = id;
    bytes = new Pack(EpochIds.packOf(id));
  }

  public long length() {
    return bytes.length();
  }

  Pack bytes() {
    return bytes;
  }

  /** The folder that it will stand in. */
  EpochPacks folder() {
    return folder;
  }

  /** Where the next commit of a store goes. */
  CommitSpace.PackEnd end(String store) {
    long offset = bytes.length();
    return new CommitSpace.PackEnd() {
      @Override
      public String id() {
        return id;
      }

      @Override
      public String pack() {
        return bytes.name;
      }

      @Override
      public long offset() {
        return offset;
      }

      @Override
      public void append(long version, byte[] region, Map<String, Long> packs) {
        if (bytes.length() != offset) {
          throw new IllegalStateException(
              bytes.name + " has " + bytes.length() + " bytes, not " + offset);
        }
        bytes.append(region);
        Map<String, Long> needs = new HashMap<>(packs);
        needs.putIfAbsent(bytes.name, 0L); // the manifest is in there, if there are no rows
        commits.add(new EpochPackIndex.Entry(
            version, new SealedCommit(store, id, bytes.name, offset, region.length, needs)));
      }
    };
  }

  /** Makes it durable: one object that nobody else can have written. It takes no more. */
  public void publish() throws IOException {
    bytes.append(EpochPackIndex.encode(bytes.name, commits));
    bytes.close();
    FailPoints.hit("pack.before-publish");
    folder.publish(this, commits);
    FailPoints.hit("pack.after-publish");
  }

  /** Forgets it: what was written into it is lost. Does nothing once it is published. */
  public void discard() {
    folder.evict(this);
  }
}
