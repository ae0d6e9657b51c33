package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.refuse.Failing;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.SourceSpec;
import io.groundswell.spark.views.contract.dataflow.StatelessSpec;
import io.groundswell.spark.views.contract.dataflow.Step;
import io.groundswell.spark.views.contract.dataflow.part.MappedColumn;
import io.groundswell.spark.views.decode.PushedFilters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;

/** Which filters of views can be asked while the rows of a source are read. */
final class PushedDown {
  private final Collection<OperatorSpec> operators;
  private final Steps steps;
  private final Columns columns;

  PushedDown(Collection<OperatorSpec> operators, Steps steps, Columns columns) {
    this.operators = operators;
    this.steps = steps;
    this.columns = columns;
  }

  /**
   * The filters with which all readers of a source begin, as conditions over its columns; none if
   * some reader wants all rows. The time of all rows counts where there is a watermark.
   */
  PushedFilters of(SourceSpec source) {
    PushedFilters all = null;
    for (OperatorSpec reader : operators) {
      if (reader.inputs().contains(source.id())) {
        PushedFilters one = reader instanceof StatelessSpec chain && source.eventTime() == null
            ? PushedFilters.of(conditions(chain, source))
            : PushedFilters.NONE;
        all = all == null ? one : all.or(one);
      }
    }
    return all == null ? PushedFilters.NONE : all;
  }

  /**
   * The conditions before anything else that a chain does: behind an expression that may fail, or
   * one that counts how often it is evaluated, no row may be missing.
   */
  private List<Expression> conditions(StatelessSpec chain, SourceSpec source) {
    Map<ExprId, BoundReference> known = new HashMap<>();
    List<Attribute> given = columns.attributes(source.columns());
    for (int i = 0; i < given.size(); i++) {
      if (given.get(i).nullable()) {
        known.put(given.get(i).exprId(), new BoundReference(i, given.get(i).dataType(), true));
      }
    }
    List<Expression> found = new ArrayList<>();
    for (Step step : chain.steps()) {
      if (step instanceof Step.Select select) {
        known = renamed(select.columns(), known);
        continue;
      }
      Expression condition = steps.condition(step);
      if (condition == null || !add(condition, known, found)) {
        break;
      }
    }
    return found;
  }

  private Map<ExprId, BoundReference> renamed(
      List<MappedColumn> selected, Map<ExprId, BoundReference> known) {
    Map<ExprId, BoundReference> renamed = new HashMap<>();
    for (MappedColumn each : selected) {
      BoundReference from =
          each.of() == null ? null : known.get(columns.attribute(each.of()).exprId());
      if (from != null) {
        renamed.put(columns.attribute(each.to()).exprId(), from);
      }
    }
    return renamed;
  }

  /** Adds the parts of a condition; false: what follows has to see all rows. */
  private static boolean add(
      Expression condition, Map<ExprId, BoundReference> known, List<Expression> found) {
    if (condition instanceof And both) {
      return add(both.left(), known, found) && add(both.right(), known, found);
    }
    if (!condition.deterministic() || Failing.can(condition) || hasOtherLeaves(condition)) {
      return false;
    }
    boolean reads = condition.exists(Scala.function(
        part -> part instanceof Attribute column && !known.containsKey(column.exprId())));
    if (!reads) {
      found.add(condition.transformUp(Scala.rule(
          part -> part instanceof Attribute column ? known.get(column.exprId()) : part)));
    }
    return true;
  }

  /** Whether anything but columns and literals is read, as subqueries are. */
  private static boolean hasOtherLeaves(Expression condition) {
    return condition.exists(Scala.function(part
        -> part.children().isEmpty() && !(part instanceof Attribute)
            && !(part instanceof Literal)));
  }
}
