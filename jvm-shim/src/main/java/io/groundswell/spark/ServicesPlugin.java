package io.groundswell.spark;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.compat.MemoryReport;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/** Gives the stores of each executor JVM one set of services of the size that confs say. */
public class ServicesPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ServicesPlugin.class);

  /** The driver has nothing to do: it holds no state. */
  @Override
  public DriverPlugin driverPlugin() {
    return null;
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static final class Executor implements ExecutorPlugin {
    private MemoryReport report;

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
      SparkSettings.Services services =
          SparkSettings.services(ours(context.conf()), Runtime.getRuntime().maxMemory());
      EngineServices shared = EngineServices.configureShared(
          services.cacheBytes(), services.compactionThreads(), services.memTableBytes());
      report = MemoryReport.start(context.executorID(), shared::cacheMemoryBytes);
      LOG.info("executor {}: {}", context.executorID(), services);
    }

    private static Map<String, String> ours(SparkConf conf) {
      Map<String, String> confs = new HashMap<>();
      for (Tuple2<String, String> pair : conf.getAllWithPrefix(SparkSettings.JVM_PREFIX)) {
        confs.put(SparkSettings.JVM_PREFIX + pair._1(), pair._2());
      }
      return confs;
    }

    @Override
    public void shutdown() {
      if (report != null) {
        report.close();
      }
      EngineServices.closeShared();
    }
  }
}
