package io.groundswell.spark.store.provider;

import io.groundswell.GroundswellCheckpointFileManager;
import io.groundswell.engine.EngineServices;
import io.groundswell.spark.shims.MemoryReport;
import io.groundswell.spark.store.checkpoint.DriverCheckpoints;
import io.groundswell.spark.store.checkpoint.ExecutorCheckpoints;
import io.groundswell.spark.store.checkpoint.FastCheckpointFileManager;
import io.groundswell.storage.DiskCache;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Gives the stores of each executor JVM one set of services of the size that confs say, and
 * sessions our classes where the user has chosen none.
 */
public class ServicesPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ServicesPlugin.class);

  @Override
  public DriverPlugin driverPlugin() {
    return new Driver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static Map<String, String> ours(SparkConf conf) {
    Map<String, String> confs = new HashMap<>();
    for (Tuple2<String, String> pair : conf.getAllWithPrefix(Setting.Scope.JVM.prefix())) {
      confs.put(Setting.Scope.JVM.prefix() + pair._1(), pair._2());
    }
    return confs;
  }

  /** Holds no state; knows which commits wait for their upload, and lets Spark wait for them. */
  private static final class Driver implements DriverPlugin {
    private DriverCheckpoints checkpoints;

    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
      Map<String, String> confs = ours(spark.conf());
      if (SparkSettings.services(confs, Runtime.getRuntime().maxMemory()).uploads() != null) {
        checkpoints = DriverCheckpoints.start(spark);
        installFileManager(spark.conf());
      }
      SessionDefaults.install(spark.conf());
      return Map.of();
    }

    /** Sessions take their defaults from here; what one sets by itself later is seen, too. */
    private static void installFileManager(SparkConf conf) {
      String ours = GroundswellCheckpointFileManager.class.getName();
      String chosen = conf.get(FastCheckpointFileManager.CLASS_KEY, ours);
      if (!chosen.equals(ours)) {
        LOG.info("checkpoint files go through {} to {}", ours, chosen);
        conf.set(FastCheckpointFileManager.DELEGATE_KEY, chosen);
      }
      conf.set(FastCheckpointFileManager.CLASS_KEY, ours);
    }

    @Override
    public Object receive(Object message) {
      return checkpoints == null ? null : checkpoints.receive(message);
    }

    @Override
    public void shutdown() {
      if (checkpoints != null) {
        checkpoints.close();
      }
    }
  }

  private static final class Executor implements ExecutorPlugin {
    private MemoryReport report;

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
      SparkSettings.Services services =
          SparkSettings.services(ours(context.conf()), Runtime.getRuntime().maxMemory());
      EngineServices shared = EngineServices.configureShared(
          services.cacheBytes(), services.compactionThreads(), services.memTableBytes());
      Map<String, String> confs = ours(context.conf());
      DiskCache.configureShared(
          SparkSettings.diskCacheDir(confs), SparkSettings.diskCacheBytes(confs));
      report = MemoryReport.start(context.executorID(), shared::memoryBytes, SparkEnv.get());
      if (services.uploads() != null) {
        ExecutorCheckpoints.start(context, services.uploads());
      }
      LOG.info("executor {}: {}", context.executorID(), services);
    }

    @Override
    public void shutdown() {
      ExecutorCheckpoints.stop();
      if (report != null) {
        report.close();
      }
      EngineServices.closeShared();
      DiskCache.configureShared(null, 0);
    }
  }
}
