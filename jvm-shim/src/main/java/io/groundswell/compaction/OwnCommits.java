package io.groundswell.compaction;

import io.groundswell.version.Version;
import java.util.HashMap;
import java.util.Map;

/**
 * Which versions this store has committed, and on top of which others. Not safe for many threads.
 */
final class OwnCommits {
  private record Name(long number, String id) {
    static Name of(Version version) {
      return new Name(version.number(), version.id());
    }

    static Name below(Version version) {
      return new Name(version.number() - 1, version.baseId());
    }
  }

  private final Map<Name, Name> bases = new HashMap<>();

  void add(Version version) {
    bases.put(Name.of(version), Name.below(version));
  }

  /** Whether all commits from one version to the other, which is included, are this store's. */
  boolean lead(Version from, Version to) {
    Name start = Name.of(from);
    for (Name name = Name.of(to); name != null; name = bases.get(name)) {
      if (name.equals(start)) {
        return true;
      }
    }
    return false;
  }

  /** Forgets what is on top of older versions than this: nobody asks from there any more. */
  void forgetBelow(long number) {
    bases.values().removeIf(base -> base.number() < number);
  }
}
