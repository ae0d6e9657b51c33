package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.EpochStateStoreProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.function.Executable;
import scala.Option;
import scala.collection.immutable.Map$;

/** A provider as Spark drives it, with keys (string, long) and values (long). */
final class ProviderHarness {
  static final String DEFAULT = "default";
  static final StructType KEY =
      new StructType().add("k", DataTypes.StringType).add("t", DataTypes.LongType);
  static final StructType VALUE = new StructType().add("v", DataTypes.LongType);

  private static final UnsafeProjection KEYS = UnsafeProjection.create(KEY);
  private static final UnsafeProjection VALUES = UnsafeProjection.create(VALUE);
  private static final UnsafeProjection PREFIXES =
      UnsafeProjection.create(new StructType().add("k", DataTypes.StringType));

  private final Path root;
  private final Map<String, String> confs = new HashMap<>();
  private boolean families;
  private boolean multiple;
  private KeyStateEncoderSpec spec = new NoPrefixKeyStateEncoderSpec(KEY);

  ProviderHarness(Path root) {
    this.root = root;
    conf("commitValidation.enabled", "false");
  }

  /** An option below {@code spark.sql.streaming.stateStore.}, or a whole name. */
  ProviderHarness conf(String name, String value) {
    confs.put(name.startsWith("spark.") ? name : "spark.sql.streaming.stateStore." + name, value);
    return this;
  }

  ProviderHarness keys(KeyStateEncoderSpec keySpec) {
    spec = keySpec;
    return this;
  }

  ProviderHarness families(boolean multipleValues) {
    families = true;
    multiple = multipleValues;
    return this;
  }

  StateStoreProvider open() {
    SQLConf sqlConf = new SQLConf();
    confs.forEach(sqlConf::setConfString);
    Configuration hadoopConf = new Configuration();
    hadoopConf.set("sql.streaming.runId", UUID.randomUUID().toString());
    StateStoreProvider provider = new EpochStateStoreProvider();
    provider.init(new StateStoreId(root.toUri().toString(), 0L, 0, DEFAULT), KEY, VALUE, spec,
        families, new StateStoreConf(sqlConf, Map$.MODULE$.<String, String>empty()), hadoopConf,
        multiple, Option.empty());
    return provider;
  }

  static StateStore write(StateStoreProvider provider, long version) {
    return write(provider, version, null);
  }

  static StateStore write(StateStoreProvider provider, long version, String id) {
    return provider.getStore(version, Option.apply(id), false, false);
  }

  static ReadStateStore read(StateStoreProvider provider, long version) {
    return provider.getReadStore(version, Option.empty());
  }

  static UnsafeRow key(String k, long t) {
    return KEYS.apply(new GenericInternalRow(new Object[] {UTF8String.fromString(k), t})).copy();
  }

  static UnsafeRow prefix(String k) {
    return PREFIXES.apply(new GenericInternalRow(new Object[] {UTF8String.fromString(k)})).copy();
  }

  static UnsafeRow value(long v) {
    return VALUES.apply(new GenericInternalRow(new Object[] {v})).copy();
  }

  static UnsafeRow[] values(long... numbers) {
    return java.util.Arrays.stream(numbers)
        .mapToObj(ProviderHarness::value)
        .toArray(UnsafeRow[] ::new);
  }

  /** The value of a key, or null. */
  static Long get(ReadStateStore store, String k, long t) {
    UnsafeRow row = store.get(key(k, t), DEFAULT);
    return row == null ? null : row.getLong(0);
  }

  /** All rows as {@code k/t=v}, in the order of the scan. */
  static List<String> rows(StateStoreIterator<UnsafeRowPair> pairs) {
    List<String> found = new ArrayList<>();
    while (pairs.hasNext()) {
      UnsafeRowPair pair = pairs.next();
      found.add(
          pair.key().getString(0) + "/" + pair.key().getLong(1) + "=" + pair.value().getLong(0));
    }
    pairs.close();
    return found;
  }

  static void assertCondition(String condition, Executable call) {
    Throwable error = assertThrows(Throwable.class, call);
    if (!(error instanceof SparkThrowable spark)) {
      throw new AssertionError("not one of Spark's errors", error);
    }
    assertEquals(condition, spark.getCondition());
  }
}
