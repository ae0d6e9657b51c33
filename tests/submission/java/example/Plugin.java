package example;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** A plugin of a user's jar. */
public final class Plugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {};
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }
}
