package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import java.util.Collection;

/** One version, read-only; keeps its files from being retired until closed. */
public interface Snapshot extends Reader, AutoCloseable {
  long version();

  /** Null for version 0. */
  String id();

  /** The id of the version below; null for versions 0 and 1. */
  String baseId();

  /** The tables this version knows: the catalogue is part of the state. */
  Collection<TableSpec> tables();

  /** The table of that name, or null. */
  TableSpec table(String name);

  /** Exact number of live keys of a counted table. */
  long count(TableSpec table);

  /** Rows of the table with a smaller user key are dead; null: none are. */
  byte[] watermarkOf(TableSpec table);

  /**
   * What the commit of this version wrote and deleted, in key order; all of it, since no merge of
   * files drops what the newest epoch wrote.
   */
  ChangeRows changes(TableSpec table);

  /** The same state as of an earlier epoch, if compaction has kept it; else a named error. */
  Reader asOf(long epoch);

  @Override void close();
}
