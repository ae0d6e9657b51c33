package io.groundswell.spark.views.dataflow.source;

import io.groundswell.spark.shims.CachedScan;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.decode.DecodedFiles;
import io.groundswell.spark.views.decode.PushedFilters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.LeafExecNode;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;

/**
 * Takes the rows of one micro-batch apart again: those of each source as an RDD of its own, read
 * once and without packing them into the union's structs first.
 *
 * <p>Branches are told by the literal under {@code _source}, never by position: a source without
 * news is not in the plan, with one left there is no union, and a source that is a union itself has
 * several branches. A branch that several sources share is read once, and kept until the barrier
 * has ended.
 */
public final class SourceSplitter {
  private static final String TAG = "_source";

  private final StructType schema;
  private final CachedReads kept;
  private final Map<Integer, List<RDD<InternalRow>>> branches = new LinkedHashMap<>();
  private final Map<Integer, List<SparkPlan>> plans = new LinkedHashMap<>();
  private final Map<SparkPlan, FileScanRDD> files = new IdentityHashMap<>();
  private final Map<Integer, List<SQLMetric>> uncounted = new HashMap<>();
  private final List<RDD<InternalRow>> shared;

  private SourceSplitter(StructType schema, CachedReads kept, List<RDD<InternalRow>> shared) {
    this.schema = schema;
    this.kept = kept;
    this.shared = shared;
  }

  /**
   * Tag → rows of the source's fields; a source without news is absent.
   *
   * @param kept from one batch to the next
   * @param shared takes what is cached, to be given up behind the barrier
   */
  public static Map<Integer, SourceRows> split(
      Dataset<Row> batch, CachedReads kept, List<RDD<InternalRow>> shared) {
    SparkPlan plan = plan(batch);
    SourceSplitter splitter = new SourceSplitter(batch.schema(), kept, shared);
    return Catalyst.withActive(plan.session(), () -> splitter.run(plan));
  }

  /** The physical plan of a batch, without what generates code for several operators. */
  static SparkPlan plan(Dataset<Row> batch) {
    SparkPlan plan = Catalyst.executedPlan(batch);
    return Catalyst.withActive(
        plan.session(), () -> plan.transformUp(Scala.rule(SourceSplitter::withoutCodegen)));
  }

  private Map<Integer, SourceRows> run(SparkPlan plan) {
    visit(plan);
    Map<Integer, SourceRows> result = new LinkedHashMap<>();
    branches.forEach((tag, rdds) -> {
      RDD<InternalRow> rows = rdds.size() == 1
          ? rdds.get(0)
          : plan.session().sparkContext().union(Scala.seq(rdds), Scala.classTag(InternalRow.class));
      List<PartitionedFile> read = new ArrayList<>();
      FileOrder order = FileOrder.collect(plans.get(tag), files, read) ? FileOrder.of(read) : null;
      List<Path> paths = read.stream().map(PartitionedFile::toPath).distinct().toList();
      List<SQLMetric> counts = uncounted.getOrDefault(tag, List.of());
      result.put(tag, new SourceRows(rows, order, paths, counts.isEmpty() ? null : counts.get(0)));
    });
    return result;
  }

  /** Generated code spans the whole union; each branch gets its own. */
  private static SparkPlan withoutCodegen(SparkPlan node) {
    if (node instanceof WholeStageCodegenExec stage) {
      return stage.child();
    }
    return node instanceof InputAdapter adapter ? adapter.child() : node;
  }

  private void visit(SparkPlan plan) {
    if (plan instanceof UnionExec) {
      Scala.list(plan.children()).forEach(this::visit);
    } else if (plan instanceof ProjectExec project && tag(project) != null
        && filled(project).size() > 1) {
      visitShared(project);
    } else if (plan instanceof ProjectExec project && tag(project) != null) {
      SparkPlan branch = unpacked(project, tag(project));
      add(tag(project), rows(branch, tag(project)), branch);
    } else if (plan instanceof LocalTableScanExec local) {
      visitRows(local);
    } else {
      throw new IllegalStateException(
          "a branch of the batch does not carry the tag of its source: " + plan.nodeName());
    }
  }

  /** The tags of the sources that fill a struct of this branch. */
  private List<Integer> filled(ProjectExec project) {
    return filled(project, schema.size());
  }

  /**
   * @param width how many columns the batch has
   */
  static List<Integer> filled(ProjectExec project, int width) {
    List<Integer> tags = new ArrayList<>();
    for (int tag = 0; tag < width - 1; tag++) {
      boolean empty = project.projectList().apply(1 + tag) instanceof Alias alias
          && alias.child() instanceof Literal;
      if (!empty) {
        tags.add(tag);
      }
    }
    return tags;
  }

  /** Reads the rows of several sources once; each takes those for which its condition holds. */
  private void visitShared(ProjectExec project) {
    SparkPlan below = project.child();
    RDD<InternalRow> rows = new OperatorRdd(
        List.of(Catalyst.collapseCodegen(kept.decoding(below)).execute()), new Copied());
    rows.persist(StorageLevel.MEMORY_AND_DISK());
    shared.add(rows);
    SparkPlan scan = Catalyst.scan(Scala.list(below.output()), rows);
    for (int tag : filled(project)) {
      Expression value = ((Alias) project.projectList().apply(1 + tag)).child();
      if (!(value instanceof If choice)) {
        throw new IllegalStateException(
            "source " + tag + " of a shared stream has no condition: " + value.sql());
      }
      List<NamedExpression> list = new ArrayList<>();
      StructType fields = fields(tag);
      for (int i = 0; i < fields.size(); i++) {
        Expression field = choice.trueValue() instanceof CreateNamedStruct struct
            ? struct.valExprs().apply(i)
            : Catalyst.field(choice.trueValue(), i);
        list.add(Catalyst.alias(field, fields.apply(i).name()));
      }
      SparkPlan branch = new ProjectExec(Scala.seq(list), new FilterExec(choice.predicate(), scan));
      add(tag, kept.rows(branch, PushedFilters.NONE), branch);
    }
  }

  /** A scan's row is good until the next; what is cached is not. */
  private record Copied() implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      Iterator<InternalRow> rows = inputs.get(0);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public InternalRow next() {
          return rows.next().copy();
        }
      };
    }
  }

  /** A scan that gives the fields as rows already needs no code, which would be generated anew. */
  private RDD<InternalRow> rows(SparkPlan branch, int tag) {
    FileSourceScanExec scan =
        CachedScan.scan(branch, branch instanceof ProjectExec project && givesFields(project));
    if (scan == null) {
      return executed(branch, tag);
    }
    PushedFilters pushed = kept.filters(tag);
    CachedReads.Scan shape =
        new CachedReads.Scan(CachedScan.Shape.of((ProjectExec) branch, scan), pushed);
    CachedReads.Files known = kept.files(shape);
    if (known == null) {
      RDD<InternalRow> rows = executed(branch, tag);
      CachedScan made =
          CachedScan.of((ProjectExec) branch, scan, rows, DecodedFiles.of(scan, pushed));
      if (made == null) {
        return rows;
      }
      known = kept.note(shape, CachedReads.Files.of(made, branch));
    }
    FileScanRDD found = known.scan().files(scan);
    files.put(scan, found);
    uncounted.computeIfAbsent(tag, key -> new ArrayList<>())
        .add(scan.metrics().apply("numOutputRows"));
    if (known.scan().columns() != null) {
      return new OperatorRdd(List.of(found), new BatchRows(known.scan().columns()));
    }
    return known.code() == null ? found : new OperatorRdd(List.of(found), known.code());
  }

  private RDD<InternalRow> executed(SparkPlan branch, int tag) {
    return branch instanceof ProjectExec project && givesFields(project)
        ? project.child().execute()
        : kept.rows(branch, kept.filters(tag));
  }

  private static boolean givesFields(ProjectExec fields) {
    List<Attribute> given = Scala.list(fields.child().output());
    List<NamedExpression> wanted = Scala.list(fields.projectList());
    boolean same = fields.child() instanceof LeafExecNode && !fields.child().supportsColumnar()
        && given.size() == wanted.size();
    for (int i = 0; same && i < given.size(); i++) {
      same = wanted.get(i) instanceof Alias alias && alias.child() instanceof Attribute attribute
          && attribute.exprId().equals(given.get(i).exprId());
    }
    return same;
  }

  private void add(int tag, RDD<InternalRow> rows, SparkPlan plan) {
    plans.computeIfAbsent(tag, key -> new ArrayList<>()).add(plan);
    branches.computeIfAbsent(tag, key -> new ArrayList<>()).add(rows);
  }

  static Integer tag(ProjectExec project) {
    NamedExpression first = project.projectList().head();
    return first.name().equals(TAG) && first instanceof Alias alias
            && alias.child() instanceof Literal literal
        ? (Integer) literal.value()
        : null;
  }

  /** The projection of the source's fields alone, in the place of the one that packs them. */
  private SparkPlan unpacked(ProjectExec project, int tag) {
    NamedExpression packed = project.projectList().apply(1 + tag);
    Expression value = packed instanceof Alias alias ? alias.child() : packed.toAttribute();
    StructType fields = fields(tag);
    List<NamedExpression> list = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      Expression field = value instanceof CreateNamedStruct struct ? struct.valExprs().apply(i)
                                                                   : Catalyst.field(value, i);
      list.add(Catalyst.alias(field, fields.apply(i).name()));
    }
    return new ProjectExec(Scala.seq(list), project.child());
  }

  private StructType fields(int tag) {
    return (StructType) schema.apply(1 + tag).dataType();
  }

  /** Rows that the optimiser computed itself carry their tags. */
  private void visitRows(LocalTableScanExec local) {
    Map<Integer, List<InternalRow>> byTag = new LinkedHashMap<>();
    for (InternalRow row : Scala.list(local.rows())) {
      int tag = row.getInt(0);
      InternalRow fields = row.getStruct(1 + tag, fields(tag).size()).copy();
      byTag.computeIfAbsent(tag, key -> new ArrayList<>()).add(fields);
    }
    byTag.forEach(
        (tag, list)
            -> add(tag, Catalyst.parallelize(local.session().sparkContext(), list, 1), local));
  }
}
