package io.groundswell.spark.views.dataflow.rescale;

import io.groundswell.engine.EpochStore;
import io.groundswell.engine.ImportedFiles;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.StoreUse;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.PartitionMove;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.storage.FailPoints;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Writes the partitions of one state, each from those before.
 *
 * @param before the commits of the state's partitions
 * @param from the folder of the state before
 * @param to the folder of the state that is written
 * @param count how many partitions it gets
 * @param version of the commits that are made; above all that {@code before} has
 */
record RescaleTask(int id, RowOperator operator, String state, List<CommitRef> before, String from,
    String to, int count, long version, Broadcast<SerializableConfiguration> conf,
    CollectionAccumulator<TaskReport> reports) implements OperatorRdd.PartitionTask {
  private static final CommitRef NOTHING = new CommitRef(0, null, 0, 0);

  @Override
  public Iterator<InternalRow> run(
      int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
    EpochStore store = store(to + "/" + partition);
    try (PartitionMove move =
             new PartitionMove(state, before.size(), partition, count, this::open)) {
      ImportedFiles taken =
          ImportedFiles.of(from(move), before.size(), partition, count, this::isByReference);
      try (Transaction tx =
               taken == null ? store.beginEmpty(version) : store.beginTakingOver(version, taken)) {
        move.into(tx);
        for (String table : move.tables()) {
          if (taken == null || !isByReference(table)) {
            how(table).move(move, table);
          }
        }
        FailPoints.hit("rescale.before-commit");
        end(tx, move, taken != null && taken.hasFiles(), partition);
      }
    }
    return Collections.emptyIterator();
  }

  private void end(Transaction tx, PartitionMove move, boolean taken, int partition) {
    if (!taken && !move.hasWritten()) {
      tx.abort();
      report(partition, NOTHING, 0, 0);
      return;
    }
    long rows = count == before.size() ? before.get(partition).rows() : rows(tx, move);
    Transaction.Commit commit = tx.commit();
    report(partition, new CommitRef(commit.version(), commit.id(), rows, commit.stateBytes()),
        commit.rowsWritten(), commit.bytesWritten());
  }

  /** Whether rows stand where they have to as they are, so that nothing is to be written. */
  private boolean isByReference(String table) {
    return count == before.size() || operator.move(table) == TableMove.BY_HASH;
  }

  /** What has as many partitions as before is copied as it is. */
  private TableMove how(String table) {
    return count == before.size() ? TableMove.COPY : operator.move(table);
  }

  private List<ImportedFiles.From> from(PartitionMove move) {
    List<ImportedFiles.From> all = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      if (move.donor(i) != null) {
        String place = StoreRegistry.placeOf(from + "/" + i);
        all.add(new ImportedFiles.From(i, move.donor(i), place, StoreRegistry.packsBeside(place)));
      }
    }
    return all;
  }

  private Snapshot open(int partition) {
    CommitRef commit = before.get(partition);
    return commit.version() == 0
        ? null
        : store(from + "/" + partition).snapshot(commit.version(), commit.id());
  }

  private EpochStore store(String folder) {
    return StoreRegistry.get(folder, conf.value().value());
  }

  private static long rows(Transaction tx, PartitionMove move) {
    long live = move.bundledRows();
    for (TableSpec table : tx.tables()) {
      live += table.counted() ? tx.count(table) : 0;
    }
    return live;
  }

  private void report(int partition, CommitRef commit, long rows, long bytes) {
    reports.add(new TaskReport(id, partition, commit, 0, rows, 0, bytes, 0, 0, 0, 0,
        TaskReport.here(), TaskReport.NO_TIME, OperatorCounters.NO_LEVEL, StoreUse.NONE));
  }
}
