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
 * What commits cost with several builds of the engine, side by side in one JVM, their batches
 * taking turns: {@code java -cp <benchmark classes>:<pyspark jars> io.groundswell.bench.CommitJars
 * keys rowsABatch batches classesOrJar...}. Each build is loaded by a class loader of its own.
 */
public final class CommitJars {
  private static final String[] COSTS = {
      "rows cpu ms", "commit wall ms", "commit cpu ms", "commit MB allocated"};
  private static final double UNIT = 1e6;

  private CommitJars() {}

  /** The engine and what drives it from one place, everything else from the class path. */
  private static final class Build extends URLClassLoader {
    Build(URL... places) {
      super(places, CommitJars.class.getClassLoader());
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
    int keys = Integer.parseInt(args[0]);
    int rows = Integer.parseInt(args[1]);
    int batches = Integer.parseInt(args[2]);
    List<String> builds = Arrays.asList(args).subList(3, args.length);
    Path folder = Files.createTempDirectory("commits");
    URL own = CommitJars.class.getProtectionDomain().getCodeSource().getLocation();
    List<Supplier<long[]>> stores = new ArrayList<>();
    for (int i = 0; i < builds.size(); i++) {
      stores.add(open(new Build(Path.of(builds.get(i)).toUri().toURL(), own),
          folder.resolve("build" + i), keys, rows));
    }
    try {
      int warm = 2 * keys / rows;
      long[][][] costs = new long[stores.size()][batches][];
      for (int batch = -warm; batch < batches; batch++) {
        for (int i = 0; i < stores.size(); i++) {
          int turn = (i + Math.abs(batch)) % stores.size();
          long[] cost = stores.get(turn).get();
          if (batch >= 0) {
            costs[turn][batch] = cost;
          }
        }
      }
      for (int i = 0; i < builds.size(); i++) {
        print(builds.get(i), costs[i]);
      }
    } finally {
      delete(folder);
    }
    System.exit(0);
  }

  @SuppressWarnings("unchecked")
  private static Supplier<long[]> open(ClassLoader build, Path folder, int keys, int rows)
      throws ReflectiveOperationException {
    return (Supplier<long[]>) build.loadClass(CommitBatches.class.getName())
        .getConstructor(Path.class, Integer.class, Integer.class)
        .newInstance(folder, keys, rows);
  }

  private static void print(String build, long[][] costs) {
    System.out.println(build);
    for (int c = 0; c < COSTS.length; c++) {
      int cost = c;
      double[] sorted =
          Arrays.stream(costs).mapToDouble(one -> one[cost] / UNIT).sorted().toArray();
      System.out.printf("  %-22s p10 %8.2f  p50 %8.2f  p90 %8.2f  p99 %8.2f%n", COSTS[c],
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
