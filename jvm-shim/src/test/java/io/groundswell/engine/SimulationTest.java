package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes that write, merge, fail and die on one folder. Replay a failure with {@code make junit
 * TESTS='.*SimulationTest' SEED=<its seed>}.
 */
class SimulationTest {
  private static final int STEPS = 400;
  private static final int PACKED_STEPS = 50;

  @Test
  void processesThatFailAndDieLoseNothingAndShowNothingWrong() {
    List<String> all = new ArrayList<>();
    Seeds.each(20, random -> {
      Simulation simulation = new Simulation(random);
      simulation.steps(STEPS);
      all.addAll(simulation.log);
    });
    if (Seeds.fixed() == null) {
      for (String event : List.of(" died", " closed", " commits ", " null", " failed: ", " merge ",
               " retires ", " pin ")) {
        assertTrue(all.stream().anyMatch(line -> line.contains(event)), "no '" + event + "'");
      }
    }
  }

  @Test
  void queriesWhoseCommitsSharePacksLoseNothingRecorded() {
    List<String> all = new ArrayList<>();
    Seeds.each(8, random -> {
      PackedSimulation simulation = new PackedSimulation(random);
      simulation.steps(PACKED_STEPS);
      all.addAll(simulation.log);
    });
    if (Seeds.fixed() == null) {
      for (String event : List.of("recorded", "restart", " died", "another driver", "FENCED",
               "CHECKPOINT_LOST", "task 0 failed", " merge", " retire ", "speculative")) {
        assertTrue(all.stream().anyMatch(line -> line.contains(event)), "no '" + event + "'");
      }
    }
  }

  /** Else the seed of a failure would be worth nothing. */
  @Test
  void theSameSeedGivesTheSameLife() {
    Seeds.each(3, random -> {
      long seed = random.nextLong();
      Simulation one = new Simulation(new Random(seed));
      Simulation other = new Simulation(new Random(seed));
      one.steps(200);
      other.steps(200);
      assertEquals(one.log, other.log);
      assertEquals(one.disk.objects.keySet(), other.disk.objects.keySet());
      PackedSimulation packed = new PackedSimulation(new Random(seed));
      PackedSimulation again = new PackedSimulation(new Random(seed));
      packed.steps(PACKED_STEPS);
      again.steps(PACKED_STEPS);
      assertEquals(packed.log, again.log);
    });
  }

  /** As long as {@code -Dgroundswell.soak.minutes} says. */
  @Test
  @Tag("soak")
  void forHours() {
    long end = System.nanoTime()
        + Duration.ofMinutes(Integer.getInteger("groundswell.soak.minutes", 10)).toNanos();
    while (System.nanoTime() < end) {
      Seeds.each(1, random -> {
        new Simulation(random).steps(10 * STEPS);
        new PackedSimulation(random).steps(10 * PACKED_STEPS);
      });
    }
  }
}
