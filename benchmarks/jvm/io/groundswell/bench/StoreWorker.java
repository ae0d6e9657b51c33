package io.groundswell.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.groundswell.bench.Figures.Figure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;

/**
 * A process that measures one figure: {@code StoreWorker figure folder rows version warmFolder
 * key=value...}, the last being confs. Each line {@code round} on standard input runs one round and
 * prints one line of JSON; the end of input ends the process. A folder may have a file system's
 * scheme in front.
 *
 * <p>A warm folder, unless {@code -}, is a small store of the same provider that is opened and read
 * first, so that the figure is not one of loading classes.
 */
public final class StoreWorker {
  private static final String PROVIDER_KEY = "spark.sql.streaming.stateStore.providerClass";
  private static final int WARM_ROWS = 1000;

  private StoreWorker() {}

  public static void main(String[] args) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // libraries may print; only answers go to standard output
    Map<String, String> confs = new TreeMap<>();
    for (int i = 5; i < args.length; i++) {
      String[] pair = args[i].split("=", 2);
      confs.put(pair[0], pair[1]);
    }
    // Spark reads the provider's class from the confs and has no other default than HDFS-backed.
    if (!confs.containsKey(PROVIDER_KEY)) {
      throw new IllegalArgumentException("no " + PROVIDER_KEY);
    }
    String figure = args[0];
    Stores stores = new Stores(confs);
    if (!args[4].equals("-")) {
      warm(args[4], stores);
    }
    StateStoreProvider provider = stores.open(args[1], figure.contains("prefix"));
    Figure measured =
        figureOf(figure, stores, provider, Long.parseLong(args[2]), Long.parseLong(args[3]));
    long written = counted("wchar");
    long read = counted("read_bytes");
    long cpu = cpuNanos();
    ObjectMapper json = new ObjectMapper();
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answers.println("ready");
    while (commands.readLine() != null) {
      ObjectNode answer = json.valueToTree(measured.round());
      answer.put("written", counted("wchar") - written);
      answer.put("read", counted("read_bytes") - read);
      answer.put("cpu", cpuNanos() - cpu);
      answers.println(answer);
    }
    provider.close();
    // Providers may leave threads that are not daemons.
    System.exit(0);
  }

  /** CPU time of all threads of this process so far. */
  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /**
   * A count of the kernel's for this process: {@code wchar}, bytes handed to writes, or {@code
   * read_bytes}, bytes that storage was asked for. 0 where none is kept.
   */
  private static long counted(String what) throws IOException {
    Path counts = Path.of("/proc/self/io");
    if (!Files.isReadable(counts)) {
      return 0;
    }
    return Files.readAllLines(counts)
        .stream()
        .filter(line -> line.startsWith(what + ": "))
        .mapToLong(line -> Long.parseLong(line.substring(what.length() + 2)))
        .sum();
  }

  private static Figure figureOf(
      String name, Stores stores, StateStoreProvider provider, long rows, long version) {
    return switch (name) {
      case "load", "load-prefix" -> Figures.load(stores, provider, rows);
      case "get-present" -> Figures.get(provider, rows, version, true);
      case "get-absent" -> Figures.get(provider, rows, version, false);
      case "update", "first-batch" -> Figures.update(provider, rows, version);
      case "churn" -> Figures.maintainedUpdate(provider, rows, version);
      case "compact" -> Figures.compact(stores, provider, rows, version);
      case "scan" -> Figures.scan(provider, rows, version);
      case "scan-prefix" -> Figures.prefixScan(provider, rows, version);
      case "reopen", "reopen-cold" -> Figures.reopen(provider, rows, version);
      default -> throw new IllegalArgumentException("no figure " + name);
    };
  }

  private static void warm(String folder, Stores stores) throws IOException {
    if (!Files.isDirectory(Path.of(folder.replaceFirst("^[a-z]+:", "")))) {
      StateStoreProvider writer = stores.open(folder, false);
      Figures.load(stores, writer, WARM_ROWS).round();
      writer.close();
    }
    StateStoreProvider reader = stores.open(folder, false);
    Figures.reopen(reader, WARM_ROWS, 1).round();
    reader.close();
  }
}
