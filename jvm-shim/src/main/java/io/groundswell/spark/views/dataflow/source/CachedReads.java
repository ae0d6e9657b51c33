package io.groundswell.spark.views.dataflow.source;

import com.google.common.collect.Iterators;
import io.groundswell.spark.shims.CachedCode;
import io.groundswell.spark.shims.CachedScan;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.dataflow.exchange.GeneratedCode;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.exchange.PooledTask;
import io.groundswell.spark.views.decode.Decoding;
import io.groundswell.spark.views.decode.PushedFilters;
import io.groundswell.spark.views.messages.SchemaFolder;
import io.groundswell.storage.FastPath;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;

/** How sources are read, kept from one batch to the next. For one thread. */
public final class CachedReads {
  private static final int MOST = 64;

  /**
   * A scan of files.
   *
   * @param code null if it needs none
   */
  record Files(CachedScan scan, OperatorRdd.PartitionTask code) {
    static Files of(CachedScan scan, SparkPlan plan) {
      return new Files(scan, scan.code() == null ? null : task(plan, scan.code()));
    }
  }

  /** What scans have in common that read likewise. */
  record Scan(CachedScan.Shape shape, PushedFilters filters) {}

  private final SchemaFolder schemas;
  private final Map<Integer, PushedFilters> filters = new HashMap<>();
  private final Map<Scan, Files> files = new HashMap<>();
  private final Map<CachedCode.Shape, Optional<OperatorRdd.PartitionTask>> codes = new HashMap<>();

  /**
   * @param schemas of messages, where they are kept
   */
  public CachedReads(SchemaFolder schemas) {
    this.schemas = schemas;
  }

  /**
   * Notes what a reader of a source begins with.
   *
   * @param wanted the filters, over the source's columns
   */
  public void begin(int tag, PushedFilters wanted) {
    filters.merge(tag, wanted, PushedFilters::or);
  }

  /** The filters that all readers of a source begin with. */
  PushedFilters filters(int tag) {
    return filters.getOrDefault(tag, PushedFilters.NONE);
  }

  /** A plan whose expressions decode texts and messages themselves. */
  SparkPlan decoding(SparkPlan plan) {
    return decoding(plan, PushedFilters.NONE);
  }

  private SparkPlan decoding(SparkPlan plan, PushedFilters filters) {
    return schemas.apply(Decoding.apply(plan, filters));
  }

  /** Null if none of that kind was noted. */
  Files files(Scan scan) {
    return FastPath.KEPT_CODE.isOpen() ? files.get(scan) : null;
  }

  Files note(Scan scan, Files made) {
    makeRoom(files);
    files.put(scan, made);
    return made;
  }

  /**
   * A plan's rows, by code that an earlier batch has made, if what it does can be kept.
   *
   * @param filters over its columns
   */
  RDD<InternalRow> rows(SparkPlan read, PushedFilters filters) {
    SparkPlan plan = decoding(read, filters);
    SparkPlan leaf = CachedCode.leaf(plan);
    OperatorRdd.PartitionTask code = leaf == null ? null : code(plan, leaf);
    return code == null ? Catalyst.collapseCodegen(plan).execute()
                        : new OperatorRdd(List.of(read(leaf)), code);
  }

  /** Null if the plan is not one stage of generated code. */
  private OperatorRdd.PartitionTask code(SparkPlan plan, SparkPlan leaf) {
    CachedCode.Shape shape = CachedCode.Shape.of(plan, leaf);
    Optional<OperatorRdd.PartitionTask> known =
        FastPath.KEPT_CODE.isOpen() ? codes.get(shape) : null;
    if (known == null) {
      known = Optional.ofNullable(CachedCode.of(plan, leaf)).map(made -> task(plan, made));
      makeRoom(codes);
      codes.put(shape, known);
    }
    return known.orElse(null);
  }

  private static RDD<InternalRow> read(SparkPlan leaf) {
    RDD<InternalRow> rows = CachedCode.uncounted(leaf);
    return rows == null ? leaf.execute()
                        : new OperatorRdd(List.of(rows), new Counted(CachedCode.count(leaf)));
  }

  /** Counts the rows that a source gives. */
  private record Counted(SQLMetric count) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      return Iterators.transform(inputs.get(0), row -> {
        count.add(1);
        return row;
      });
    }
  }

  private static OperatorRdd.PartitionTask task(
      SparkPlan plan, PartitionEvaluatorFactory<InternalRow, InternalRow> code) {
    return PooledTask.of(plan.session().sparkContext(), new GeneratedCode(code));
  }

  /** Full if each batch reads in another way. */
  private static void makeRoom(Map<?, ?> kept) {
    if (kept.size() >= MOST) {
      kept.clear();
    }
  }
}
