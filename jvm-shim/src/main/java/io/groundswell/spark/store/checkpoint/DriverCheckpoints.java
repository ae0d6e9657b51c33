package io.groundswell.spark.store.checkpoint;

import io.groundswell.checkpoint.BatchPackRetention;
import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.ExecutorGone;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.checkpoint.RunLedger;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.ExecutorEndpoint;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's half: which runs may defer commits, what they have sealed, and the wait before Spark
 * records a batch. Requests of executors come on one thread and cost no I/O; everything else
 * happens on the thread that writes a query's commit log.
 */
public final class DriverCheckpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverCheckpoints.class);
  private static final String JOB_GROUP = "spark.jobGroup.id";
  private static final int RETIRE_EVERY = 10;
  private static final int GONE_SECONDS = 30;

  private static volatile DriverCheckpoints active;

  private record Run(String root, String id) {}

  private final SparkContext context;
  private final Map<String, Object> executors = new ConcurrentHashMap<>();
  private final Map<String, Map<CompletableFuture<Void>, Boolean>> flushes =
      new ConcurrentHashMap<>();

  /** Runs with stores whose commit log nobody has seen yet. */
  private final Set<Run> asking = ConcurrentHashMap.newKeySet();

  /** The one run of each checkpoint that may defer. */
  private final Map<String, Confirmed> confirmed = new ConcurrentHashMap<>();

  private record Confirmed(Run run, RunLedger ledger) {}

  private final ExecutorService retirement = Executors.newSingleThreadExecutor(task -> {
    Thread thread = new Thread(task, "groundswell-retire-packs");
    thread.setDaemon(true);
    return thread;
  });

  private DriverCheckpoints(SparkContext context) {
    this.context = context;
    context.addSparkListener(new SparkListener() {
      @Override
      public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        lost(removed.executorId(), removed.reason());
      }
    });
  }

  /** Starts it in the driver's JVM. */
  public static DriverCheckpoints start(SparkContext context) {
    active = new DriverCheckpoints(context);
    return active;
  }

  /** The one of this JVM, or null: then no commit is deferred. */
  static DriverCheckpoints active() {
    return active;
  }

  /** Answers an executor. */
  public Object receive(Object message) {
    if (message instanceof Messages.Register register) {
      executors.put(register.executor(), register.endpoint());
      return true;
    }
    if (message instanceof Messages.MayDefer ask) {
      Run run = new Run(ask.root(), ask.runId());
      Confirmed known = confirmed.get(run.root);
      if (known != null && known.run.equals(run)) {
        return known.ledger.owner().id();
      }
      asking.add(run);
      return null;
    }
    if (message instanceof Messages.Commit commit) {
      try {
        Set<String> sparse = register(commit);
        return sparse.isEmpty() ? null : sparse.toArray(String[] ::new);
      } catch (EngineException e) {
        return e.getMessage();
      }
    }
    throw new IllegalArgumentException("unknown message " + message);
  }

  private Set<String> register(Messages.Commit commit) {
    Confirmed known = confirmed.get(commit.root());
    if (known == null || !known.ledger.owner().id().equals(commit.owner())) {
      throw new EngineException(ErrorCode.FENCED,
          "it belongs to a run on " + commit.root() + " that another one has replaced");
    }
    return known.ledger.register(
        commit.version(), commit.executor(), commit.commit(), commit.replaceable());
  }

  /** One commit log of one run, known by its file manager. Not for several threads at once. */
  final class Log {
    private final String root;
    private final Configuration conf;
    private Confirmed own;
    private int releases;

    Log(String root, Configuration conf) {
      this.root = root;
      this.conf = conf;
    }

    /**
     * Returns when the batch may be recorded; tells a run's first time that it may defer.
     *
     * @param ownership of the run; null if the query keeps views: it makes an epoch public before
     *     Spark records the batch, and a published one is not computed again, so nothing of it may
     *     be waiting for that
     */
    synchronized void beforeCommit(long batch, Ownership ownership)
        throws IOException, InterruptedException {
      if (own == null) {
        String group = runOfThisThread();
        if (group != null && asking.remove(new Run(root, group)) && ownership != null) {
          own = confirm(new Run(root, group), ownership, batch + 1);
          confirmed.put(root, own);
          asking.removeIf(run -> run.root.equals(root));
        }
      } else if (own.ledger.release(batch + 1, this::flush)) {
        long retained = conf.getLong("spark.sql.streaming.minBatchesToRetain", 100);
        if (++releases % Math.max(1, Math.min(RETIRE_EVERY, retained / 2)) == 0) {
          retire(own.ledger, batch + 1 - retained);
        }
      }
    }

    private Confirmed confirm(Run run, Ownership ownership, long version) {
      BatchPacks folder = CheckpointFolders.of(run.root, conf);
      LOG.info("run {} commits to {} asynchronously from the next batch on", run.id, run.root);
      return new Confirmed(run, new RunLedger(folder, ownership, version));
    }

    private CompletableFuture<Void> flush(String executor, String owner, long version) {
      return DriverCheckpoints.this.flush(executor, new Messages.Flush(root, owner, version));
    }
  }

  /** The run of the query that this thread works for; null if it is none of a query's. */
  String runOfThisThread() {
    return context.getLocalProperty(JOB_GROUP);
  }

  private CompletableFuture<Void> flush(String executor, Messages.Flush message) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Map<CompletableFuture<Void>, Boolean> mine =
        flushes.computeIfAbsent(executor, any -> new ConcurrentHashMap<>());
    mine.put(done, true);
    done.whenComplete((nothing, error) -> mine.remove(done));
    Object endpoint = executors.get(executor);
    if (endpoint == null) {
      done.completeExceptionally(new ExecutorGone(executor, "it is not registered"));
      return done;
    }
    ExecutorEndpoint.ask(endpoint, message.encode()).whenComplete((answer, error) -> {
      if (error == null) {
        done.complete(null);
      } else if (error instanceof EngineException) {
        done.completeExceptionally(error); // its own answer
      } else { // a broken connection: Spark will soon know whether the executor is gone
        CompletableFuture.delayedExecutor(GONE_SECONDS, TimeUnit.SECONDS)
            .execute(() -> done.completeExceptionally(error));
      }
    });
    return done;
  }

  private void lost(String executor, String reason) {
    executors.remove(executor);
    Map<CompletableFuture<Void>, Boolean> waiting = flushes.remove(executor);
    if (waiting != null) {
      waiting.keySet().forEach(
          flush -> flush.completeExceptionally(new ExecutorGone(executor, reason)));
    }
  }

  private void retire(RunLedger ledger, long oldest) {
    if (oldest <= 0) {
      return;
    }
    retirement.execute(() -> {
      try {
        ledger.owner().check();
        BatchPackRetention.Outcome done = BatchPackRetention.run(ledger.folder(), oldest);
        ledger.leave(done.sparse());
        LOG.debug("{} objects deleted from {}, {} are mostly dead", done.deleted(),
            ledger.folder().location(), done.sparse().size());
      } catch (IOException | RuntimeException e) {
        LOG.warn("could not retire packs of {}", ledger.folder().location(), e);
      }
    });
  }

  @Override
  public void close() {
    active = null;
    retirement.shutdownNow();
  }
}
