package io.groundswell;

import io.groundswell.spark.store.provider.EpochStoreProvider;

/**
 * The state store to name in {@code spark.sql.streaming.stateStore.providerClass}. Spark writes
 * this class name into every checkpoint, so it stays; all else lives in the superclass.
 */
public final class EpochStateStoreProvider extends EpochStoreProvider {}
