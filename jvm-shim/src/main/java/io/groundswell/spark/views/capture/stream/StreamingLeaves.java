package io.groundswell.spark.views.capture.stream;

import io.groundswell.spark.shims.Scala;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.HasStreamingSourceIdentifyingName;
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2;
import org.apache.spark.sql.catalyst.streaming.StreamingSourceIdentifyingName;
import org.apache.spark.sql.catalyst.streaming.UserProvided;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.streaming.runtime.StreamingExecutionRelation;
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/** The leaves by which an analysed plan reads streams. */
public final class StreamingLeaves {
  private static final String SHARED = "groundswell.stream";

  private StreamingLeaves() {}

  public static boolean isLeaf(LogicalPlan plan) {
    return plan instanceof StreamingRelation || plan instanceof StreamingRelationV2
        || plan instanceof StreamingExecutionRelation;
  }

  /** The object that two reads of one source share, whatever attribute ids they were given. */
  public static Object identity(LogicalPlan leaf) {
    if (leaf instanceof StreamingRelation relation) {
      return relation.dataSource();
    }
    if (leaf instanceof StreamingRelationV2 relation) {
      return relation.table();
    }
    return ((StreamingExecutionRelation) leaf).source();
  }

  /** The name the user gave the source, or null. */
  public static String name(LogicalPlan leaf) {
    StreamingSourceIdentifyingName name = leaf instanceof HasStreamingSourceIdentifyingName named
        ? named.sourceIdentifyingName()
        : ((StreamingExecutionRelation) leaf).sourceIdentifyingName();
    return Scala.optional(name.toUserProvided()).map(UserProvided::name).orElse(null);
  }

  /**
   * The name of a stream that several sources may read at one offset, as the reader's option {@code
   * groundswell.stream} says; null of others.
   */
  public static String shared(LogicalPlan leaf) {
    return isLeaf(leaf) ? new CaseInsensitiveStringMap(options(leaf)).get(SHARED) : null;
  }

  /** The names of all leaves, or of the streams that they share; empty of those without. */
  public static List<String> names(LogicalPlan plan) {
    return Scala.list(plan.collectLeaves())
        .stream()
        .filter(StreamingLeaves::isLeaf)
        .map(leaf
            -> Objects.requireNonNullElse(shared(leaf) == null ? name(leaf) : shared(leaf), ""))
        .toList();
  }

  /** The folders that the leaves read; empty of those that read something else. */
  public static List<String> folders(LogicalPlan plan, Configuration conf) {
    return Scala.list(plan.collectLeaves())
        .stream()
        .filter(StreamingLeaves::isLeaf)
        .map(leaf -> new CaseInsensitiveStringMap(options(leaf)).getOrDefault("path", ""))
        .map(path -> path.isEmpty() ? path : qualified(path, conf))
        .toList();
  }

  private static String qualified(String path, Configuration conf) {
    try {
      return new Path(path).getFileSystem(conf).makeQualified(new Path(path)).toString();
    } catch (IOException | IllegalArgumentException e) { // of no file system
      return path;
    }
  }

  static Map<String, String> options(LogicalPlan leaf) {
    if (leaf instanceof StreamingRelation relation) {
      return CollectionConverters.asJava(relation.dataSource().options());
    }
    return leaf instanceof StreamingRelationV2 relation ? relation.extraOptions() : Map.of();
  }

  /** Whether a stream deletes or moves files that were read (option {@code cleanSource}). */
  public static boolean cleans(LogicalPlan plan) {
    for (LogicalPlan leaf : Scala.list(plan.collectLeaves())) {
      if (options(leaf).entrySet().stream().anyMatch(StreamingLeaves::cleans)) {
        return true;
      }
    }
    return false;
  }

  private static boolean cleans(Map.Entry<String, String> option) {
    return option.getKey().equalsIgnoreCase("cleanSource")
        && !option.getValue().equalsIgnoreCase("off");
  }

  /** The class that reads a stream, if it is one of the older interface, else empty. */
  public static String provider(LogicalPlan leaf) {
    return leaf instanceof StreamingRelation relation ? relation.dataSource().className() : "";
  }

  /** A stream of which some of the reader's options have other values. */
  public static LogicalPlan withOptions(LogicalPlan leaf, Map<String, String> given) {
    Map<String, String> options = new HashMap<>(options(leaf));
    options.putAll(given);
    if (leaf instanceof StreamingRelationV2 relation) {
      return relation.copy(relation.source(), relation.sourceName(), relation.table(),
          new CaseInsensitiveStringMap(options), relation.output(), relation.catalog(),
          relation.identifier(), relation.v1Relation(), relation.sourceIdentifyingName());
    }
    StreamingRelation relation = (StreamingRelation) leaf;
    DataSource read = relation.dataSource();
    DataSource changed = read.copy(read.sparkSession(), read.className(), read.paths(),
        read.userSpecifiedSchema(), read.partitionColumns(), read.bucketSpec(),
        scala.collection.immutable.Map.from(CollectionConverters.asScala(options)),
        read.catalogTable(), read.copy$default$9());
    return relation.copy(
        changed, relation.sourceName(), relation.output(), relation.sourceIdentifyingName());
  }

  public static LogicalPlan withName(LogicalPlan leaf, String name) {
    UserProvided given = new UserProvided(name);
    if (leaf instanceof HasStreamingSourceIdentifyingName named) {
      return named.withSourceIdentifyingName(given);
    }
    StreamingExecutionRelation relation = (StreamingExecutionRelation) leaf;
    SparkSession session = (SparkSession) relation.otherCopyArgs().head();
    return relation.copy(
        relation.source(), relation.output(), relation.catalogTable(), given, session);
  }
}
