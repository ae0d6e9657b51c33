package io.groundswell.testing;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Decides which operations fail. Asked once for each, by many threads. */
@FunctionalInterface
public interface FaultPlan {
  FaultPlan NONE = (op, name) -> Fault.NONE;

  /** The fault of an operation that is about to take place on the object of that name. */
  Fault next(Op op, String name);

  /** The n-th operation from now (1: the next) and all after it fail. */
  static FaultPlan from(int nth, Fault fault) {
    AtomicInteger left = new AtomicInteger(nth);
    return (op, name) -> left.decrementAndGet() <= 0 ? fault : Fault.NONE;
  }

  /** Only the n-th operation from now fails. */
  static FaultPlan once(int nth, Fault fault) {
    AtomicInteger left = new AtomicInteger(nth);
    return (op, name) -> left.decrementAndGet() == 0 ? fault : Fault.NONE;
  }

  /** The next {@code count} operations of that kind fail. */
  static FaultPlan next(Op kind, int count, Fault fault) {
    AtomicInteger left = new AtomicInteger(count);
    return (op, name)
               -> op == kind && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0 ? fault : Fault.NONE;
  }

  /**
   * Random faults that a seed replays: whether the n-th operation of a kind fails depends on seed,
   * kind and n alone, however threads interleave.
   *
   * @param spec {@code seed=7,GET=BEFORE:0.01,PUT=AFTER:0.02,PUT=TORN:0.01}: kind, fault,
   *     probability; several faults of one kind exclude each other
   */
  static FaultPlan parse(String spec) {
    long seed = 0;
    Map<Op, Map<Fault, Double>> chances = new EnumMap<>(Op.class);
    for (String part : spec.split(",")) {
      String[] pair = part.trim().split("=", 2);
      if (pair[0].equals("seed")) {
        seed = Long.parseLong(pair[1]);
      } else {
        String[] fault = pair[1].split(":", 2);
        chances.computeIfAbsent(Op.valueOf(pair[0]), any -> new EnumMap<>(Fault.class))
            .put(Fault.valueOf(fault[0]), Double.parseDouble(fault[1]));
      }
    }
    return random(seed, chances);
  }

  /** As {@link #parse}, from numbers. */
  static FaultPlan random(long seed, Map<Op, Map<Fault, Double>> chances) {
    AtomicInteger[] asked = new AtomicInteger[Op.values().length];
    java.util.Arrays.setAll(asked, i -> new AtomicInteger());
    return (op, name) -> {
      int n = asked[op.ordinal()].getAndIncrement();
      double dice =
          new java.util.SplittableRandom(seed * 31 + op.ordinal() + 0x9E3779B97F4A7C15L * n)
              .nextDouble();
      for (Map.Entry<Fault, Double> chance : chances.getOrDefault(op, Map.of()).entrySet()) {
        dice -= chance.getValue();
        if (dice < 0) {
          return chance.getKey();
        }
      }
      return Fault.NONE;
    };
  }
}
