package io.groundswell.spark.sql;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.KnownRelation;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import io.groundswell.spark.sql.rewrite.ViewMatch;
import io.groundswell.spark.sql.rewrite.ViewQuery;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.sql.QueryAt;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import io.groundswell.spark.views.entry.PlanCapture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning$;
import org.apache.spark.sql.catalyst.optimizer.PushDownPredicates$;
import org.apache.spark.sql.catalyst.optimizer.RemoveNoopOperators$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One query, answered from views of the pipelines whose tables and views it reads. All it reads of
 * a pipeline is of one epoch, and so are the views that take its place: that is why they agree.
 */
final class Rewriting {
  private static final Logger LOG = LoggerFactory.getLogger(Rewriting.class);
  private static final int MAX_ROUNDS = 20;

  private final SparkSession session;
  private final boolean rounding;
  private final Map<Source, Candidates> known = new HashMap<>();
  private final Map<String, NotContainedException> reasons = new LinkedHashMap<>();
  private final Set<String> used = new LinkedHashSet<>();

  /** A pipeline at an epoch. */
  private record Source(String pipeline, long epoch) {}

  /**
   * A view that may answer parts of the query.
   *
   * @param name of pipeline and view, for people
   */
  private record Candidate(String name, QueryAt view, ViewQuery query) {}

  /**
   * The views of a pipeline at an epoch that may answer parts of the query.
   *
   * @param loaded by name of a view, where its rows are
   */
  private record Candidates(List<Candidate> views, Map<String, SqlAnswer.ViewAt> loaded) {}

  Rewriting(SparkSession session, boolean rounding) {
    this.session = session;
    this.rounding = rounding;
  }

  /** Names of the views that the query reads now in the place of others. */
  Set<String> used() {
    return used;
  }

  /** By name of a view that reads nothing but what the query reads, why it was not used. */
  Map<String, String> reasons() {
    Map<String, String> found = new LinkedHashMap<>();
    reasons.forEach((view, reason) -> found.put(view, reason.getMessage()));
    return found;
  }

  private void note(String view, NotContainedException reason) {
    reasons.merge(view, reason, (old, now) -> now.step().compareTo(old.step()) > 0 ? now : old);
  }

  /** The plan with views in it; the plan itself if there is none that fits. */
  LogicalPlan apply(LogicalPlan plan) {
    LogicalPlan before = plan;
    // A view may answer a part that reads a view by now. Each round reads later views, so it ends.
    for (int round = 0; round < MAX_ROUNDS; round++) {
      LogicalPlan after = before;
      for (Source source : sources(before)) {
        after = new Round(source, after).result();
      }
      if (after == before) {
        break;
      }
      before = after;
    }
    reasons.keySet().removeAll(used);
    return before == plan ? plan : tidied(before);
  }

  private static Set<Source> sources(LogicalPlan plan) {
    Set<Source> found = new LinkedHashSet<>();
    for (LogicalPlan leaf : Scala.list(plan.collectLeaves())) {
      Source source = source(leaf);
      if (source != null) {
        found.add(source);
      }
    }
    return found;
  }

  private static Source source(LogicalPlan leaf) {
    if (leaf instanceof DataSourceV2Relation relation && relation.table() instanceof ViewTable table
        && table.found().state() != null) {
      return new Source(table.found().properties().get("pipeline"), table.found().epoch());
    }
    return null;
  }

  /** Replaces the largest parts that views of one pipeline answer. */
  private final class Round {
    private final Source source;
    private final LogicalPlan plan;
    private final Map<LogicalPlan, DataSourceV2Relation> originals = new HashMap<>();
    private final Map<String, SqlAnswer.ViewAt> loaded;
    private DataSourceV2Relation sample;

    Round(Source source, LogicalPlan plan) {
      this.source = source;
      this.plan = plan;
      this.loaded = known.containsKey(source) ? known.get(source).loaded : new HashMap<>();
    }

    LogicalPlan result() {
      LogicalPlan named = plan.transformUp(Scala.rule(this::named));
      List<Candidate> candidates = known.computeIfAbsent(source, each -> candidates(named)).views();
      int before = used.size();
      LogicalPlan replaced = visit(named, candidates);
      return used.size() == before && replaced == named
          ? plan
          : replaced.transformUp(
                Scala.rule(node -> originals.containsKey(node) ? originals.get(node) : node));
    }

    private LogicalPlan named(LogicalPlan node) {
      if (!source.equals(source(node))) {
        return node;
      }
      DataSourceV2Relation relation = (DataSourceV2Relation) node;
      sample = relation;
      KnownRelation name = new KnownRelation(
          relation.identifier().get().name().toLowerCase(Locale.ROOT), attributes(relation));
      originals.put(name, relation);
      return name;
    }

    private LogicalPlan visit(LogicalPlan node, List<Candidate> candidates) {
      if (node instanceof KnownRelation) {
        return node;
      }
      LogicalPlan best = best(node, candidates);
      return best != null ? best
                          : node.mapChildren(Scala.mapping(child -> visit(child, candidates)));
    }

    private LogicalPlan best(LogicalPlan node, List<Candidate> candidates) {
      Set<String> read = relations(node);
      LogicalPlan best = null;
      String name = null;
      long least = Long.MAX_VALUE;
      for (Candidate each : candidates) {
        if (!read.containsAll(each.query.relations())) {
          continue;
        }
        try {
          SqlAnswer.ViewAt at = load(each.view.name());
          LogicalPlan found = ViewMatch.of(node, each.query.plan(), rows(each, at));
          long size = at.state().at().commits().stream().mapToLong(CommitRef::rows).sum();
          if (size < least) {
            best = found;
            name = each.name;
            least = size;
          }
        } catch (NotContainedException e) {
          note(each.name, e);
        }
      }
      if (name != null) {
        used.add(name);
      }
      return best;
    }

    private List<Candidate> candidatesOf(SqlAnswer.QueriesAt found, LogicalPlan named) {
      Set<String> read = new HashSet<>(relations(named));
      Map<String, StructType> columns = new HashMap<>();
      originals.forEach(
          (name, relation) -> columns.putIfAbsent(((KnownRelation) name).name(), seen(relation)));
      List<Candidate> result = new ArrayList<>();
      for (QueryAt view : found.views()) {
        if (!read.containsAll(view.relations().values()) && view.refused() == null) {
          continue; // neither the query nor a view that may take a part of it reads all of this
        }
        try {
          result.add(
              new Candidate(named(view), view, ViewQueries.of(session, view, columns, rounding)));
          String name = view.name().toLowerCase(Locale.ROOT);
          read.add(name);
          columns.putIfAbsent(name, (StructType) load(view.name()).columns());
        } catch (NotContainedException e) {
          note(named(view), e);
        }
      }
      return result.stream().filter(each -> !each.query.isTrivial()).toList();
    }

    private Candidates candidates(LogicalPlan named) {
      SqlAnswer.QueriesAt found;
      try {
        found = Statements.find(new SqlRequest.LoadQueries(List.of(source.pipeline), source.epoch),
            SqlAnswer.QueriesAt.class);
      } catch (StatementException e) { // the query can do without
        LOG.warn("no view of pipeline {} is used: {}", source.pipeline, e.getMessage());
        return new Candidates(List.of(), loaded);
      }
      if (found == null) { // the pipeline was dropped meanwhile
        return new Candidates(List.of(), loaded);
      }
      Map<String, Object> own = PlanCapture.pinned(session);
      if (!found.views().isEmpty() && !own.equals(found.settings())) {
        String why =
            "the session's settings are " + own + ", the pipeline's are " + found.settings();
        found.views().forEach(
            view -> note(named(view), new NotContainedException(Step.COLUMNS, why)));
        return new Candidates(List.of(), loaded);
      }
      return new Candidates(candidatesOf(found, named), loaded);
    }

    private String named(QueryAt view) {
      return source.pipeline + "." + view.name();
    }

    private SqlAnswer.ViewAt load(String view) throws NotContainedException {
      SqlAnswer.ViewAt found = loaded.get(view);
      if (found == null) {
        try {
          found = Statements.find(
              new SqlRequest.LoadView(view, List.of(source.pipeline), source.epoch, null, null),
              SqlAnswer.ViewAt.class);
        } catch (StatementException e) {
          throw new NotContainedException(Step.INPUTS, e.getMessage());
        }
        if (found == null || found.state() == null) {
          throw new NotContainedException(
              Step.INPUTS, "epoch " + source.epoch + " does not have it");
        }
        loaded.put(view, found);
      }
      return found;
    }

    /** The rows of a view, with the columns of its query in their order. */
    private LogicalPlan rows(Candidate view, SqlAnswer.ViewAt at) throws NotContainedException {
      ViewTable table = new ViewTable(
          String.join(".", ViewCatalog.NAME, source.pipeline, view.view.name()) + " (UseViews)",
          at);
      DataSourceV2Relation relation = DataSourceV2Relation.create(table, sample.catalog(),
          scala.Option.apply(Identifier.of(new String[] {source.pipeline}, view.view.name())),
          sample.options(), Scala.none());
      Map<String, Attribute> columns = new HashMap<>();
      Scala.list(relation.output()).forEach(column -> columns.put(column.name(), column));
      List<NamedExpression> result = new ArrayList<>();
      for (Attribute each : Scala.list(view.query.plan().output())) {
        Attribute column = columns.get(each.name());
        if (column == null) {
          throw new NotContainedException(Step.INPUTS, "its rows have no column " + each.name());
        }
        result.add(column);
      }
      return Catalyst.project(result, relation);
    }
  }

  private static StructType seen(DataSourceV2Relation relation) {
    return ((ViewTable) relation.table()).seen();
  }

  private static scala.collection.immutable.Seq<Attribute> attributes(
      DataSourceV2Relation relation) {
    return Scala.seq(Scala.list(relation.output()));
  }

  private static Set<String> relations(LogicalPlan plan) {
    Set<String> names = new HashSet<>();
    for (LogicalPlan leaf : Scala.list(plan.collectLeaves())) {
      if (leaf instanceof KnownRelation relation) {
        names.add(relation.name());
      }
    }
    return names;
  }

  /** Pushes conditions and columns towards the views; Spark's own rules for that have run. */
  private static LogicalPlan tidied(LogicalPlan plan) {
    LogicalPlan before = plan;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      LogicalPlan after = RemoveNoopOperators$.MODULE$.apply(CollapseProject$.MODULE$.apply(
          ColumnPruning$.MODULE$.apply(PushDownPredicates$.MODULE$.apply(before))));
      if (after.fastEquals(before)) {
        break;
      }
      before = after;
    }
    return before;
  }
}
