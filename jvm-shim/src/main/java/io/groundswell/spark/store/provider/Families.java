package io.groundswell.spark.store.provider;

import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.shims.SparkErrors;
import io.groundswell.spark.store.encoding.KeyCodec;
import io.groundswell.spark.store.encoding.KeyCodecs;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.execution.streaming.state.StateStore;

/**
 * The column families of one store. What Spark declared belongs to the provider and outlives the
 * store (a reader registers a family on one store and reads it through the next); which families
 * there are is state, and stands in the transaction's catalogue.
 */
final class Families {
  static final String DEFAULT = StateStore.DEFAULT_COL_FAMILY_NAME();

  private final Transaction transaction;
  private final StoreContext context;
  private final Map<String, FamilySpec> declared;
  private final boolean enabled;
  private final Map<String, Family> open = new HashMap<>();
  private Family last;

  Families(Transaction transaction, StoreContext context) {
    this.transaction = transaction;
    this.context = context;
    this.declared = context.declared();
    this.enabled = context.useFamilies();
  }

  /** The family for an operation of that name, or Spark's error why there is none. */
  Family of(String name, String operation) {
    Family family = last;
    if (family == null || !family.spec.name().equals(name)) {
      family = open.get(name);
      if (family == null) {
        family = open(name, operation);
      }
      last = family;
    }
    return family;
  }

  private Family open(String name, String operation) {
    boolean isDefault = name.equals(DEFAULT);
    if (!enabled && !isDefault) {
      throw disabled(operation);
    }
    FamilySpec spec = declared.get(name);
    if (spec == null || (transaction.table(name) == null && !isDefault)) {
      throw SparkErrors.missingFamily(operation, name);
    }
    return add(spec);
  }

  private Family add(FamilySpec spec) {
    KeyCodec keys = KeyCodecs.create(spec.key(), context.id().storeName(), spec.name());
    transaction.createTable(spec.name(), keys.layout(), true);
    Family family = Family.of(spec, context, keys, transaction::table);
    open.put(spec.name(), family);
    return family;
  }

  /** Makes the family unless it is there. Spark calls this in every task of every batch. */
  void create(FamilySpec spec) {
    check("create_col_family", spec.name(), spec.internal());
    declared.put(spec.name(), spec);
    if (!open.containsKey(spec.name())) {
      add(spec);
    }
  }

  /** Learns how a family is to be read; a read store does not make it. */
  void register(FamilySpec spec) {
    check("register_col_family", spec.name(), spec.internal());
    declared.put(spec.name(), spec);
  }

  boolean remove(String name) {
    check("remove_col_family", name, true);
    last = null;
    open.remove(name);
    declared.remove(name);
    transaction.dropTable(ListReads.tableOf(name));
    return transaction.dropTable(name);
  }

  /** Forgets every row of the base version. */
  void clear() {
    for (TableSpec table : transaction.tables().toArray(TableSpec[] ::new)) {
      transaction.dropTable(table.name());
    }
  }

  Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    names.add(DEFAULT);
    for (TableSpec table : transaction.tables()) {
      if (!ListReads.holdsSegments(table)) {
        names.add(table.name());
      }
    }
    return names;
  }

  /** Live keys of Spark's own families, or of all others. */
  long count(boolean internal) {
    long sum = 0;
    for (TableSpec table : transaction.tables()) {
      FamilySpec spec = declared.get(table.name());
      // Joins keep indexes in families that are internal by declaration, not by name.
      boolean own = spec == null ? isInternal(table.name()) : spec.internal();
      if (own == internal && !ListReads.holdsSegments(table)) {
        sum += transaction.count(table);
      }
    }
    return sum;
  }

  private void check(String operation, String name, boolean internal) {
    if (!enabled) {
      throw disabled(operation);
    }
    if (name.isEmpty() || !name.trim().equals(name) || name.equals(DEFAULT)) {
      throw SparkErrors.invalidFamilyName(operation, name);
    }
    if (isInternal(name) && !internal) {
      throw SparkErrors.reservedFamilyName(name);
    }
  }

  private static boolean isInternal(String name) {
    return name.startsWith("$");
  }

  private static RuntimeException disabled(String operation) {
    return SparkErrors.unsupported(
        operation, "multiple column families is disabled in EpochStateStoreProvider");
  }
}
