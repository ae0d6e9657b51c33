package io.groundswell.spark.shims;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.rdd.MapPartitionsWithEvaluatorRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import scala.Function1;
import scala.collection.Iterator;

/**
 * How columns of files are read, made once: of each plan Spark makes the reading function and the
 * code around it anew, and sends the file system's settings to every executor with it. Later plans
 * that read likewise differ in their files alone.
 */
public final class CachedScan {
  private static final Method READ =
      Arrays.stream(FileSourceScanExec.class.getDeclaredMethods())
          .filter(each -> each.getName().equals("createReadRDD") && each.getParameterCount() == 2)
          .filter(Method::trySetAccessible)
          .findFirst()
          .orElse(null);
  private static final Field CODE =
      Arrays.stream(MapPartitionsWithEvaluatorRDD.class.getDeclaredFields())
          .filter(each -> each.getName().equals("evaluatorFactory"))
          .filter(Field::trySetAccessible)
          .findFirst()
          .orElse(null);

  /** Types whose values all kinds of rows give likewise. */
  private static final Predicate<DataType> FLAT = type
      -> type instanceof NumericType || type instanceof StringType || type instanceof BinaryType
      || type instanceof BooleanType || type instanceof DateType || type instanceof TimestampType
      || type instanceof TimestampNTZType;

  private final Function1<PartitionedFile, Iterator<InternalRow>> read;
  private final PartitionEvaluatorFactory<InternalRow, InternalRow> code;
  private final int[] columns;

  private CachedScan(Function1<PartitionedFile, Iterator<InternalRow>> read,
      PartitionEvaluatorFactory<InternalRow, InternalRow> code, int[] columns) {
    this.read = read;
    this.code = code;
    this.columns = columns;
  }

  /**
   * The scan that a plan projects columns of; null if it does anything else.
   *
   * @param plain whether the projection leaves rows as they are
   */
  public static FileSourceScanExec scan(SparkPlan plan, boolean plain) {
    if (READ == null || CODE == null || !(plan instanceof ProjectExec project)
        || project.subqueries().nonEmpty()) { // code holds the value of the first run
      return null;
    }
    SparkPlan child = project.child();
    if (child instanceof ColumnarToRowExec rows
        && rows.child() instanceof FileSourceScanExec scan) {
      return scan.bucketedScan() ? null : scan;
    }
    return plain && child instanceof FileSourceScanExec scan && !scan.bucketedScan()
            && scan.relation().fileFormat() instanceof TextBasedFileFormat
        ? scan
        : null;
  }

  /**
   * What plans have in common that read likewise. Expressions are compared as such: of their text a
   * value may look like anything.
   */
  public record Shape(Class<?> format, scala.collection.immutable.Map<String, String> options,
      StructType data, StructType partition, StructType required, List<Expression> filters,
      List<Expression> columns) {
    public static Shape of(ProjectExec project, FileSourceScanExec scan) {
      HadoopFsRelation relation = scan.relation();
      List<Attribute> given = Scala.list(scan.output());
      return new Shape(relation.fileFormat().getClass(), relation.options(), relation.dataSchema(),
          relation.partitionSchema(), scan.requiredSchema(),
          Catalyst.bound(scan.dataFilters(), given), Catalyst.bound(project.projectList(), given));
    }
  }

  /**
   * What is to be kept of a plan's first run; null if it ran otherwise than expected.
   *
   * @param scan the scan that was run
   * @param reads the files of later plans, and rows as the scan does; null: the scan's function
   */
  @SuppressWarnings("unchecked")
  public static CachedScan of(ProjectExec project, FileSourceScanExec scan,
      RDD<InternalRow> executed, Function1<PartitionedFile, Iterator<InternalRow>> reads) {
    boolean coded = executed instanceof MapPartitionsWithEvaluatorRDD < ?, ? > ;
    if (coded != scan.supportsColumnar()) {
      return null;
    }
    RDD<?> below = executed.dependencies().head().rdd();
    while (!(below instanceof FileScanRDD) && below.dependencies().size() == 1) {
      below = below.dependencies().head().rdd();
    }
    if (!(below instanceof FileScanRDD files)) {
      return null;
    }
    try {
      int[] columns = coded ? columns(project, scan) : null;
      return new CachedScan(reads == null
              ? files.org$apache$spark$sql$execution$datasources$FileScanRDD$$readFunction
              : reads,
          coded && columns == null
              ? (PartitionEvaluatorFactory<InternalRow, InternalRow>) CODE.get(executed)
              : null,
          columns);
    } catch (IllegalAccessException e) {
      return null;
    }
  }

  /** Where a projection's columns stand in a scan's; null if it computes any, or one is nested. */
  private static int[] columns(ProjectExec project, FileSourceScanExec scan) {
    List<ExprId> given = Scala.list(scan.output()).stream().map(Attribute::exprId).toList();
    List<NamedExpression> wanted = Scala.list(project.projectList());
    int[] result = new int[wanted.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = wanted.get(i) instanceof Alias alias
              && alias.child() instanceof Attribute attribute && FLAT.test(attribute.dataType())
          ? given.indexOf(attribute.exprId())
          : -1;
      if (result[i] < 0) {
        return null;
      }
    }
    return result;
  }

  /** The files of another plan, to be read with {@link #code}. */
  public FileScanRDD files(FileSourceScanExec scan) {
    try {
      RDD<?> found = (RDD<?>) READ.invoke(scan, read, scan.dynamicallySelectedPartitions());
      return SmallFiles.spread((FileScanRDD) found, scan);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the files of a batch could not be told from its plan", e);
    }
  }

  /** Which columns of the batches that files give are wanted; null if {@link #code} is. */
  public int[] columns() {
    return columns;
  }

  /** Makes rows of what files give; null if they give rows, or {@link #columns} are wanted. */
  public PartitionEvaluatorFactory<InternalRow, InternalRow> code() {
    return code;
  }
}
