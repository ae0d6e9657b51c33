package io.groundswell.bench;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What work costs with several builds of the engine, side by side in one JVM, their rounds taking
 * turns: {@code java -cp <benchmark classes>:<pyspark jars> io.groundswell.bench.Builds work keys
 * rowsARound rounds classesOrJar...}, the work being {@code commits} ({@link CommitBatches}) or
 * {@code gets} ({@link RandomGets}). Each build is loaded by a class loader of its own, and so has
 * a cache of its own.
 */
public final class Builds {
  /** What is repeated: its class, what a round's costs are called, rounds that warm up. */
  private record Work(Class<?> of, List<String> costs, int warm) {
    static Work of(String name, int keys, int rows) {
      return switch (name) {
        case "commits" ->
          new Work(CommitBatches.class,
              List.of("rows cpu ms", "commit wall ms", "commit cpu ms", "commit MB allocated"),
              2 * keys / rows);
        case "gets" ->
          new Work(
              RandomGets.class, List.of("cpu ms", "wall ms", "process cpu ms", "MB allocated"), 20);
        default -> throw new IllegalArgumentException("no work " + name + ": commits or gets");
      };
    }
  }

  private static final double UNIT = 1e6;

  private Builds() {}

  /** The engine and what drives it from one place, everything else from the class path. */
  private static final class Build extends URLClassLoader {
    Build(URL... places) {
      super(places, Builds.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith("io.groundswell.")) {
          return super.loadClass(name, resolve);
        }
        Class<?> known = findLoadedClass(name);
        return known == null ? findClass(name) : known;
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int keys = Integer.parseInt(args[1]);
    int rows = Integer.parseInt(args[2]);
    int rounds = Integer.parseInt(args[3]);
    Work work = Work.of(args[0], keys, rows);
    List<String> builds = Arrays.asList(args).subList(4, args.length);
    Path folder = Files.createTempDirectory("builds");
    URL own = Builds.class.getProtectionDomain().getCodeSource().getLocation();
    List<Supplier<long[]>> stores = new ArrayList<>();
    for (int i = 0; i < builds.size(); i++) {
      stores.add(open(work, new Build(Path.of(builds.get(i)).toUri().toURL(), own),
          folder.resolve("build" + i), keys, rows));
    }
    try {
      long[][][] costs = new long[stores.size()][rounds][];
      for (int round = -work.warm; round < rounds; round++) {
        for (int i = 0; i < stores.size(); i++) {
          int turn = (i + Math.abs(round)) % stores.size();
          long[] cost = stores.get(turn).get();
          if (round >= 0) {
            costs[turn][round] = cost;
          }
        }
      }
      for (int i = 0; i < builds.size(); i++) {
        print(work, builds.get(i), costs[i]);
      }
    } finally {
      delete(folder);
    }
    System.exit(0);
  }

  @SuppressWarnings("unchecked")
  private static Supplier<long[]> open(Work work, ClassLoader build, Path folder, int keys,
      int rows) throws ReflectiveOperationException {
    return (Supplier<long[]>) build.loadClass(work.of.getName())
        .getConstructor(Path.class, Integer.class, Integer.class)
        .newInstance(folder, keys, rows);
  }

  private static void print(Work work, String build, long[][] costs) {
    System.out.println(build);
    for (int c = 0; c < work.costs.size(); c++) {
      int cost = c;
      double[] sorted =
          Arrays.stream(costs).mapToDouble(one -> one[cost] / UNIT).sorted().toArray();
      System.out.printf("  %-22s p10 %8.2f  p50 %8.2f  p90 %8.2f  p99 %8.2f%n", work.costs.get(c),
          sorted[sorted.length / 10], sorted[sorted.length / 2], sorted[sorted.length * 9 / 10],
          sorted[sorted.length * 99 / 100]);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
