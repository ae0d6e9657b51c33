package io.groundswell.spark.views.entry;

import io.groundswell.checkpoint.Ownership;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.storage.ObjectStores;
import io.groundswell.storage.Transactions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Map;

/**
 * The files of a pipeline's table, read as Spark reads a folder of files, and with the same log and
 * offsets. Beside that, transactions are seen whole: Spark asks the sources of a barrier one after
 * another what they have, so the first one that it asks brings all committed transactions to their
 * tables before any of them is looked into.
 *
 * <p>A stream that waits for rows asks a hundred times a second. Spark's look into a folder copies
 * Hadoop's configuration several times: three tables took a fifth of a core. So a folder whose
 * files are those of a look that found nothing new is not looked into again.
 */
public final class TableSourceProvider implements StreamSourceProvider {
  private static final String PIPELINE = "groundswell.pipeline";
  private static final ConcurrentMap<String, Run> RUNS = new ConcurrentHashMap<>();

  /** A run of a pipeline. Its sources are asked on one thread. */
  private static final class Run {
    private final Transactions transactions;
    private final Ownership ownership;
    private final Configuration conf;
    private FileStreamSource first;

    Run(Transactions transactions, Ownership ownership, Configuration conf) {
      this.transactions = transactions;
      this.ownership = ownership;
      this.conf = conf;
    }

    synchronized void before(FileStreamSource asked) {
      first = first == null ? asked : first;
      if (first == asked) {
        check(() -> transactions.move(ownership::check));
      }
    }

    /** A later run may have moved files meanwhile, after this one had looked into some tables. */
    void found() {
      check(ownership::check);
    }

    private static void check(Transactions.Check act) {
      try {
        act.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Notes a run.
   *
   * @param pipeline its name in this process
   * @param home the pipeline's folder in the checkpointLocation
   */
  public static void register(String pipeline, String home, Ownership ownership, Configuration conf)
      throws IOException {
    RUNS.put(pipeline, new Run(new Transactions(home, conf), ownership, conf));
  }

  /** Forgets a run. */
  public static void unregister(String pipeline) {
    RUNS.remove(pipeline);
  }

  /** The same stream, whose tables are read by a run. */
  public static Dataset<Row> within(Dataset<Row> sources, String pipeline) {
    return Catalyst.ofRows(Catalyst.session(sources),
        Catalyst.analyzed(sources).transformDown(Scala.rule(leaf
            -> StreamingLeaves.provider(leaf).equals(TableSourceProvider.class.getName())
                ? StreamingLeaves.withOptions(leaf, java.util.Map.of(PIPELINE, pipeline))
                : leaf)));
  }

  @Override
  public Tuple2<String, StructType> sourceSchema(
      SQLContext context, Option<StructType> schema, String provider, Map<String, String> options) {
    return new Tuple2<>("table", columns(schema));
  }

  /** Those of a file are never required, whatever was written. */
  private static StructType columns(Option<StructType> schema) {
    return schema.get().asNullable();
  }

  @Override
  public Source createSource(SQLContext context, String metadata, Option<StructType> schema,
      String provider, Map<String, String> options) {
    Run run = RUNS.get(options.getOrElse(PIPELINE, () -> ""));
    if (run == null) {
      throw new IllegalStateException("a table is read by a run of its pipeline alone");
    }
    return new TableSource((SparkSession) context.sparkSession(), columns(schema), metadata,
        options.removed(PIPELINE), run);
  }

  private static final class TableSource extends FileStreamSource {
    private final Run run;
    private final ObjectStore rows;
    /** The files of the last look, if it found nothing new; else null. */
    private List<ObjectInfo> idle;
    private Offset asked;
    private Offset answer;
    /** Up to which files were removed. */
    private String removed;

    TableSource(SparkSession session, StructType schema, String metadata,
        Map<String, String> options, Run run) {
      super(session, options.apply("path"), "parquet", schema, Catalyst.nil(), metadata, options);
      this.run = run;
      // Spark takes the path for a pattern, in which a backslash makes a letter stand for itself.
      this.rows = ObjectStores.open(options.apply("path").replaceAll("\\\\(.)", "$1"), run.conf);
    }

    @Override
    public void prepareForTriggerAvailableNow() {
      run.before(this);
      super.prepareForTriggerAvailableNow();
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
      run.before(this);
      List<ObjectInfo> files = files();
      if (files.equals(idle) && Objects.equals(start, asked) && FastPath.IDLE_TABLE.isOpen()) {
        return answer;
      }
      Offset latest = super.latestOffset(start, limit);
      // Spark gives what its log has as text: compared as such, or an idle source had news for
      // ever.
      boolean news = latest != null && (start == null || !latest.json().equals(start.json()));
      if (news) {
        run.found();
      }
      idle = news ? null : files;
      asked = start;
      answer = latest;
      return latest;
    }

    /**
     * Spark has the files removed again with each barrier that brings no news of this table, and
     * warns that they are not there.
     */
    @Override
    public void commit(org.apache.spark.sql.execution.streaming.Offset end) {
      if (!end.json().equals(removed)) {
        super.commit(end);
        removed = end.json();
      }
    }

    /** Listed before Spark looks: what comes in between is news to it. */
    private List<ObjectInfo> files() {
      try {
        return rows.list("");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
