package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.FirstRowsSpec;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.StatelessSpec;
import io.groundswell.spark.views.contract.dataflow.Step;
import io.groundswell.spark.views.contract.dataflow.part.MappedColumn;
import io.groundswell.spark.views.dataflow.run.Input;
import io.groundswell.spark.views.operator.view.Tracked;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells which views need not be read to be written. */
final class Tracking {
  /** Steps that make of a row at most one, and of equal rows equal ones. */
  private static final Set<Class<? extends Step>> ONE_TO_ONE =
      Set.of(Step.Project.class, Step.Results.class, Step.Filter.class, Step.Where.class,
          Step.Digests.class, Step.Compute.class, Step.Select.class);

  private Tracking() {}

  /**
   * How the changes of a view come; null if they may be any. It takes those of an operator that
   * keeps its own results, as it nets them: not exchanged in between, not split, and of no group
   * that may be forgotten.
   *
   * @param specs all operators
   */
  static Tracked tracked(OperatorSpec operator, Input input, Map<Integer, OperatorSpec> specs) {
    if (!(operator instanceof MaterializeSpec view)
        || (input.segment() != null && input.segment().exchanges() > 0)) {
      return null;
    }
    OperatorSpec made = maker(view, specs);
    boolean keeps = (made instanceof AggregateSpec groups && groups.watermark() == null)
        || (made instanceof FirstRowsSpec rows && rows.watermark() == null);
    return keeps ? new Tracked(group(view, specs)) : null;
  }

  /** The operator that a view's rows come from one to one; null if they do not. */
  private static OperatorSpec maker(OperatorSpec view, Map<Integer, OperatorSpec> specs) {
    OperatorSpec made = specs.get(view.inputs().get(0));
    while (made instanceof StatelessSpec chain) {
      if (!chain.steps().stream().allMatch(step -> ONE_TO_ONE.contains(step.getClass()))) {
        return null;
      }
      made = specs.get(chain.inputs().get(0));
    }
    return made;
  }

  /**
   * The columns that a view's changes come grouped by, if groups have several rows that nobody asks
   * for by key; else none.
   */
  static List<String> group(OperatorSpec operator, Map<Integer, OperatorSpec> specs) {
    if (!(operator instanceof MaterializeSpec view) || !view.anywhere()
        || !(maker(view, specs) instanceof FirstRowsSpec made) || made.limit() <= 1) {
      return List.of();
    }
    OperatorSpec input = specs.get(view.inputs().get(0));
    List<String> partition = partition(input, specs);
    return input.columns().containsAll(partition) ? partition : List.of();
  }

  /** The maker's partition as it is called above: a view that shares the maker renames it. */
  private static List<String> partition(OperatorSpec operator, Map<Integer, OperatorSpec> specs) {
    if (operator instanceof FirstRowsSpec made) {
      return made.partition();
    }
    StatelessSpec chain = (StatelessSpec) operator;
    List<String> refs = partition(specs.get(chain.inputs().get(0)), specs);
    for (Step step : chain.steps()) {
      if (step instanceof Step.Select select) {
        refs = refs.stream().map(ref -> renamed(ref, select.columns())).toList();
      }
    }
    return refs;
  }

  /** Empty if the step drops the column. */
  private static String renamed(String ref, List<MappedColumn> columns) {
    for (MappedColumn column : columns) {
      if (ref.equals(column.of())) {
        return column.to();
      }
    }
    return "";
  }
}
