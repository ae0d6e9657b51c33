package io.groundswell.engine;

import io.groundswell.storage.FileNames;
import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.Op;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** What goes wrong between one simulated process and its storage: all out of one seed. */
final class SimulatedFaults implements FaultPlan {
  private static final Fault[] OF_READS = {Fault.BEFORE, Fault.SHORT, Fault.FLIP};
  private static final Fault[] OF_PUTS = {Fault.BEFORE, Fault.AFTER, Fault.TORN};
  private static final Fault[] OF_OTHERS = {Fault.BEFORE, Fault.AFTER};

  /** Objects of which half appeared. */
  final Set<String> torn = new HashSet<>();

  private final Random random;
  private double chance;

  /** Operations until the process dies; negative: it does not. */
  private int left = -1;

  private boolean cutPublishing;
  private boolean dead;
  private int injected;

  SimulatedFaults(Random random) {
    this.random = random;
  }

  /** From now on each operation fails by that chance. */
  void chance(double each) {
    chance = each;
  }

  /** The n-th operation from now is the last: it may or may not take place, none follows. */
  void dieAt(int operation) {
    left = operation;
  }

  /** The next commit object goes wrong in the moment in which it appears. */
  void cutPublishing() {
    cutPublishing = true;
  }

  boolean dead() {
    return dead;
  }

  /** How often something went wrong. */
  int injected() {
    return injected;
  }

  @Override
  public Fault next(Op op, String name) {
    if (dead) {
      return fault(Fault.BEFORE, op, name);
    }
    if (left > 0 && --left == 0) {
      dead = true;
      return fault(op == Op.PUT ? any(OF_PUTS) : any(OF_OTHERS), op, name);
    }
    if (cutPublishing && op == Op.PUT && name.endsWith(FileNames.COMMIT_SUFFIX)) {
      cutPublishing = false;
      return fault(any(OF_PUTS), op, name);
    }
    if (chance > 0 && random.nextDouble() < chance) {
      return fault(op == Op.GET ? any(OF_READS)
              : op == Op.PUT    ? any(OF_PUTS)
                                : any(OF_OTHERS),
          op, name);
    }
    return Fault.NONE;
  }

  private Fault any(Fault[] faults) {
    return faults[random.nextInt(faults.length)];
  }

  private Fault fault(Fault fault, Op op, String name) {
    injected++;
    if (fault == Fault.TORN && op == Op.PUT) {
      torn.add(name);
    }
    return fault;
  }
}
