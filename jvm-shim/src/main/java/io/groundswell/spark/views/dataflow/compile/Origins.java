package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.error.Place;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.ArrangeSpec;
import io.groundswell.spark.views.contract.dataflow.KeyedSpec;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.SnapshotSpec;
import io.groundswell.spark.views.contract.dataflow.SourceSpec;
import io.groundswell.spark.views.contract.dataflow.StatelessSpec;
import io.groundswell.spark.views.contract.dataflow.TwoSidedSpec;
import io.groundswell.spark.views.dataflow.run.RowOrigin;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Where the stateless chains of a dataflow stand: between which sources and views. */
final class Origins {
  private final Map<Integer, OperatorSpec> specs;
  private final Columns columns;

  /**
   * @param specs all operators by id; may be filled later
   */
  Origins(Map<Integer, OperatorSpec> specs, Columns columns) {
    this.specs = specs;
    this.columns = columns;
  }

  /** Of a chain; null if there is none. */
  RowOrigin of(StatelessSpec stateless) {
    if (stateless == null) {
      return null;
    }
    OperatorSpec from = specs.get(stateless.inputs().get(0));
    List<Column> input = columns.columns(from.columns());
    List<String> refs = input.stream().map(Column::ref).toList();
    int[] key = key(from).stream().mapToInt(refs::indexOf).toArray();
    boolean whole = key.length > 0 && Arrays.stream(key).allMatch(at -> at >= 0);
    return RowOrigin.of(
        place(stateless), String.join("; ", stateless.texts()), input, whole ? key : new int[0]);
  }

  /** The views that an operator feeds, or is, and the sources that feed it. */
  Place place(OperatorSpec operator) {
    Set<String> views = new TreeSet<>();
    if (operator instanceof MaterializeSpec view) {
      views.add(view.view());
    } else {
      addViews(operator.id(), views);
    }
    Set<String> sources = new TreeSet<>();
    addSources(operator, sources);
    return new Place(List.copyOf(views), List.copyOf(sources));
  }

  /** What tells an operator's rows apart, as far as it says so. */
  private static List<String> key(OperatorSpec operator) {
    if (operator instanceof SourceSpec source) {
      return source.rowId();
    }
    if (operator instanceof AggregateSpec aggregate) {
      return aggregate.grouping();
    }
    if (operator instanceof TwoSidedSpec join) {
      List<String> both = new ArrayList<>(join.leftKey());
      both.addAll(join.rightKey());
      return both;
    }
    return operator instanceof KeyedSpec keyed && !(operator instanceof ArrangeSpec) ? keyed.key()
                                                                                     : List.of();
  }

  /** The nearest views that an operator feeds. */
  private void addViews(int id, Set<String> found) {
    specs.forEach((reader, operator) -> {
      if (operator.inputs().contains(id)) {
        if (operator instanceof MaterializeSpec view) {
          found.add(view.view());
        } else {
          addViews(reader, found);
        }
      }
    });
  }

  private void addSources(OperatorSpec operator, Set<String> found) {
    if (operator instanceof SourceSpec source) {
      found.add(source.name());
    } else if (operator instanceof SnapshotSpec snapshot) {
      found.add(snapshot.reads().replaceFirst("^source-", "")); // as the source is called
    }
    operator.inputs().forEach(input -> addSources(specs.get(input), found));
  }
}
