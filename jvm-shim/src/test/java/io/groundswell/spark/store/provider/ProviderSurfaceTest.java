package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.EpochStateStoreProvider;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider;
import org.junit.jupiter.api.Test;

/** Our provider is a subclass of RocksDB's by name alone: nothing that works on RocksDB is left. */
class ProviderSurfaceTest {
  /** What touches no state: logging, default arguments, the maintenance lock, Scala's insides. */
  private static final Pattern HARMLESS = Pattern.compile(
      ".*\\$.*|log.*|isTraceEnabled|LogStringContext|MDC|withLogContext|initialize.*"
      + "|unloaded|setUnloaded|maintenanceLock|sparkConf");

  /**
   * Reach RocksDB only through {@code rocksDB()} or make one; nobody but its provider calls them.
   */
  private static final List<String> ITS_OWN =
      List.of("createRocksDB", "getRocksDBStateStore", "latestVersion");

  @Test
  void everyMethodThatCouldReachRocksDbIsOurs() {
    List<String> left =
        Arrays.stream(RocksDBStateStoreProvider.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> !method.isSynthetic() && method.getDeclaringClass() != Object.class)
            .filter(method -> !HARMLESS.matcher(method.getName()).matches())
            .filter(method -> !ITS_OWN.contains(method.getName()))
            .filter(method -> !isOurs(method))
            .map(Method::toString)
            .toList();
    assertEquals(List.of(), left);
  }

  private static boolean isOurs(Method method) {
    try {
      return EpochStateStoreProvider.class.getMethod(method.getName(), method.getParameterTypes())
          .getDeclaringClass()
          .getName()
          .startsWith("io.groundswell.");
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void thereIsNoRocksDb() {
    assertThrows(IllegalStateException.class, () -> new EpochStateStoreProvider().rocksDB());
  }
}
