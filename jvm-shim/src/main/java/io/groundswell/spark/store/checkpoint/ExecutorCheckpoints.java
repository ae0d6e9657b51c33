package io.groundswell.spark.store.checkpoint;

import com.codahale.metrics.Gauge;
import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.checkpoint.UploadMetrics;
import io.groundswell.checkpoint.UploadOptions;
import io.groundswell.checkpoint.Uploader;
import io.groundswell.spark.shims.ExecutorEndpoint;
import io.groundswell.storage.FailPoints;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The executor's half: seals commits, tells the driver of them, uploads when asked. */
public final class ExecutorCheckpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorCheckpoints.class);
  private static final String ENDPOINT = "groundswell-checkpoints";
  private static final long GOODBYE_SECONDS = 60;

  private static volatile ExecutorCheckpoints active;

  private record Run(String root, String id) {}

  private final PluginContext driver;
  private final Uploader uploader;
  private final RpcEndpointRef endpoint;

  /** Owner ids of runs that may defer. A no is asked for again: it holds for one commit. */
  private final Map<Run, String> owners = new ConcurrentHashMap<>();

  private ExecutorCheckpoints(PluginContext driver, UploadOptions options) throws Exception {
    this.driver = driver;
    this.uploader = new Uploader(options);
    this.endpoint = ExecutorEndpoint.open(ENDPOINT, this::answer);
    driver.ask(new Messages.Register(driver.executorID(), endpoint));
    gauge("sealedBytes", UploadMetrics::sealedBytes);
    gauge("keptBytes", UploadMetrics::keptBytes);
    gauge("uploads", UploadMetrics::uploads);
    gauge("uploadedBytes", UploadMetrics::uploadedBytes);
    gauge("uploadFailures", UploadMetrics::failures);
    gauge("sealStallMillis", UploadMetrics::stallMillis);
    gauge("uploadLagMillis", UploadMetrics::lagMillis);
  }

  /** Shown by Spark's metrics sinks as {@code <app>.<executor>.plugin.<plugin class>.<name>}. */
  private void gauge(String name, ToLongFunction<UploadMetrics> value) {
    driver.metricRegistry().register(
        name, (Gauge<Long>) () -> value.applyAsLong(uploader.metrics()));
  }

  /** Starts it in this JVM; without it every commit is made durable at once. */
  public static void start(PluginContext driver, UploadOptions options) {
    try {
      active = new ExecutorCheckpoints(driver, options);
    } catch (Exception e) {
      LOG.warn("the driver cannot be told of commits: they will be synchronous", e);
    }
  }

  /** Ends it, after what is sealed is durable. */
  public static void stop() {
    ExecutorCheckpoints ended = active;
    active = null;
    if (ended != null) {
      ended.close();
    }
  }

  /** What waits and what was done; null where the plugin does not run. */
  public static UploadMetrics metrics() {
    ExecutorCheckpoints own = active;
    return own == null ? null : own.uploader.metrics();
  }

  /**
   * Where a commit goes: into a pack, to be made durable later, where the driver lets it wait.
   *
   * @param root folder of all stores of the checkpoint
   * @param store path of the store from there
   * @param replaceable whether another attempt's commit of the version would be as good
   */
  public static Destination destination(String root, Configuration conf, BatchPacks folder,
      String runId, String store, long version, boolean replaceable) {
    ExecutorCheckpoints own = active;
    if (own == null || runId == null) {
      return Destination.ALONE;
    }
    String name = CheckpointFolders.nameOf(new Path(root), conf);
    String owner = own.ownerOf(new Run(name, runId), folder);
    return owner == null ? Destination.ALONE
                         : own.new Seals(name, owner, folder, store, version, replaceable);
  }

  private String ownerOf(Run run, BatchPacks folder) {
    String owner = owners.get(run);
    if (owner == null) {
      try {
        owner = (String) driver.ask(new Messages.MayDefer(run.root, run.id));
      } catch (Exception e) {
        LOG.warn("cannot ask whether commits of run {} may wait; they do not", run.id, e);
      }
      if (owner != null && owners.put(run, owner) == null) {
        uploader.keepOnly(folder, owner);
        owners.keySet().removeIf(other -> other.root.equals(run.root) && !other.equals(run));
      }
    }
    return owner;
  }

  private final class Seals implements Destination {
    private final String root;
    private final String owner;
    private final BatchPacks folder;
    private final String store;
    private final long version;
    private final boolean replaceable;

    Seals(String root, String owner, BatchPacks folder, String store, long version,
        boolean replaceable) {
      this.root = root;
      this.owner = owner;
      this.folder = folder;
      this.store = store;
      this.version = version;
      this.replaceable = replaceable;
    }

    @Override
    public boolean packs(long memoryBytes) {
      return memoryBytes <= uploader.options().maxCommitBytes();
    }

    @Override
    public Set<String> pack(String id, long made, long memoryBytes, byte[] sections, Tail tail)
        throws IOException {
      return register(uploader.seal(folder, owner, made, store, id, sections, tail));
    }

    @Override
    public Set<String> published(String id, long length, Map<String, Long> packs)
        throws IOException {
      return register(new FinishedCommit(store, id, null, 0, length, packs));
    }

    private Set<String> register(FinishedCommit commit) throws IOException {
      FailPoints.hit("register.before-ask");
      Object answer;
      try {
        answer = driver.ask(
            new Messages.Commit(root, owner, version, driver.executorID(), commit, replaceable));
      } catch (Exception e) {
        throw new IOException("the driver cannot be told of commit " + id(commit) + ": " + e, e);
      }
      FailPoints.hit("register.after-ask");
      if (answer instanceof String refusal) {
        throw new IOException("the driver refuses commit " + id(commit) + ": " + refusal);
      }
      return answer instanceof String[] sparse ? Set.of(sparse) : Set.of();
    }

    private String id(FinishedCommit commit) {
      return commit.id() + " of version " + version + " of " + store;
    }
  }

  private CompletionStage<?> answer(Object message) {
    Messages.Flush flush = Messages.Flush.decode(message);
    BatchPacks folder = CheckpointFolders.open(flush.root());
    return folder == null ? CompletableFuture.completedFuture(null)
                          : uploader.flush(folder, flush.owner(), flush.version());
  }

  @Override
  public void close() {
    try {
      uploader.flushAll().get(GOODBYE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      LOG.warn("ending with {} that never reached storage", uploader.metrics(), e);
    }
    uploader.close();
    try {
      ExecutorEndpoint.close(endpoint);
    } catch (RuntimeException e) {
      LOG.debug("the RPC environment ended before", e);
    }
  }
}
