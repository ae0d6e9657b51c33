package io.groundswell.spark.views.capture.describe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.stream.PlaceholderLeaf;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Parts of a plan that read no stream: VALUES, ranges, batch tables and queries over them. */
final class Constants {
  private static final int MAX_FIELDS = 25;

  private Constants() {}

  static boolean isConstant(LogicalPlan plan) {
    return Scala.list(plan.collectLeaves())
               .stream()
               .noneMatch(leaf -> PlaceholderLeaf.rdd(leaf) != null)
        && !plan.isStreaming();
  }

  /** Whether there is one row at most. */
  static boolean isSingle(LogicalPlan plan) {
    return Scala.optional(plan.maxRows())
        .map(rows -> ((Number) rows).longValue() <= 1)
        .orElse(false);
  }

  /** Whether it reads what others may change, and does not hold its rows itself. */
  static boolean readsTables(LogicalPlan plan) {
    return Scala.list(plan.collectLeaves()).stream().anyMatch(leaf -> !holdsRows(leaf));
  }

  private static boolean holdsRows(LogicalPlan plan) {
    return plan instanceof LocalRelation || plan instanceof Range || plan instanceof OneRowRelation;
  }

  /**
   * In one line; what the query itself holds is told by its hash, files by their folders, how they
   * are read and what is done with them by another hash.
   */
  static String text(LogicalPlan constant) {
    LogicalPlan plan = constant.transformUp(Scala.rule(Constants::withoutSlices));
    List<String> parts = new ArrayList<>();
    parts.add(plan.simpleString(MAX_FIELDS));
    for (LogicalPlan leaf : Scala.list(plan.collectLeaves())) {
      if (leaf instanceof LocalRelation local) {
        parts.add(local.data().size() + " rows, hash " + hash(local));
      } else if (leaf instanceof LogicalRelation relation
          && relation.relation() instanceof HadoopFsRelation files) {
        parts.add("files of " + Scala.list(files.location().rootPaths()));
      } else if (leaf != plan) {
        parts.add(leaf.simpleString(MAX_FIELDS));
      }
    }
    if (!holdsRows(plan)) {
      StringBuilder query = new StringBuilder();
      write(plan.canonicalized(), query);
      parts.add("query " + Hashing.sha256().hashString(query, UTF_8).toString().substring(0, 8));
    }
    return String.join("; ", parts);
  }

  private static String hash(LocalRelation rows) {
    UnsafeProjection bytes = UnsafeProjection.create(rows.schema());
    Hasher hasher = Hashing.sha256().newHasher();
    for (InternalRow row : Scala.list(rows.data())) {
      UnsafeRow whole = bytes.apply(row);
      hasher.putInt(whole.getSizeInBytes()).putBytes(whole.getBytes());
    }
    return hasher.hash().toString().substring(0, 16);
  }

  /** How many tasks make a range is the session's choice, not the query's. */
  private static LogicalPlan withoutSlices(LogicalPlan node) {
    return node instanceof Range range ? new Range(range.start(), range.end(), range.step(),
                                             Option.empty(), range.output(), range.isStreaming())
                                       : node;
  }

  private static void write(LogicalPlan plan, StringBuilder out) {
    out.append(plan.simpleString(Integer.MAX_VALUE));
    if (plan instanceof LogicalRelation relation
        && relation.relation() instanceof HadoopFsRelation files) {
      out.append(new TreeMap<>(CollectionConverters.asJava(files.options())));
    }
    Scala.list(plan.expressions()).forEach(each -> out.append(HiddenArguments.of(each)));
    out.append('(');
    Scala.list(plan.children()).forEach(child -> write(child, out));
    out.append(')');
  }
}
