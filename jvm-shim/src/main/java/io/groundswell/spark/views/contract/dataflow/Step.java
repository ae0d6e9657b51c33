// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.dataflow.part.AttemptSpec;
import io.groundswell.spark.views.contract.dataflow.part.ComputedColumn;
import io.groundswell.spark.views.contract.dataflow.part.MappedColumn;
import java.io.Serializable;
import java.util.List;

/**
 * One step of a stateless operator.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Step.Project.class, name = "project")
  , @JsonSubTypes.Type(value = Step.Results.class, name = "results"),
      @JsonSubTypes.Type(value = Step.Filter.class, name = "filter"),
      @JsonSubTypes.Type(value = Step.Where.class, name = "where"),
      @JsonSubTypes.Type(value = Step.Present.class, name = "present"),
      @JsonSubTypes.Type(value = Step.Digests.class, name = "digests"),
      @JsonSubTypes.Type(value = Step.Evaluate.class, name = "evaluate"),
      @JsonSubTypes.Type(value = Step.Expand.class, name = "expand"),
      @JsonSubTypes.Type(value = Step.Generate.class, name = "generate"),
      @JsonSubTypes.Type(value = Step.Compute.class, name = "compute"),
      @JsonSubTypes.Type(value = Step.Bucket.class, name = "bucket"),
      @JsonSubTypes.Type(value = Step.Select.class, name = "select")
})
public sealed interface Step extends Serializable {
  /**
   * The projection of a node.
   *
   * @param node of the captured plan
   * @param carry refs of columns that are passed on besides
   */
  public record Project(int node, List<String> carry) implements Step {
    private static final long serialVersionUID = 1L;

    public Project {
      carry = Checks.list(carry, "carry");
    }
  }

  /**
   * The projection that an aggregate makes of its groups.
   *
   * @param node of the captured plan
   * @param carry refs of columns that are passed on besides
   */
  public record Results(int node, List<String> carry) implements Step {
    private static final long serialVersionUID = 1L;

    public Results {
      carry = Checks.list(carry, "carry");
    }
  }

  /**
   * The condition of a node.
   *
   * @param node of the captured plan
   */
  public record Filter(int node) implements Step {
    private static final long serialVersionUID = 1L;
  }

  /**
   * A condition.
   *
   * @param condition id of the expression
   */
  public record Where(String condition) implements Step {
    private static final long serialVersionUID = 1L;

    public Where {
      Checks.present(condition, "condition");
    }
  }

  /**
   * Rows in which a column is not null.
   *
   * @param column its ref
   */
  public record Present(String column) implements Step {
    private static final long serialVersionUID = 1L;

    public Present {
      Checks.present(column, "column");
    }
  }

  /**
   * Rows for which no expression fails.
   *
   * @param attempts the expressions
   * @param failed whether just the other rows are wanted
   */
  public record Digests(List<AttemptSpec> attempts, boolean failed) implements Step {
    private static final long serialVersionUID = 1L;

    public Digests {
      attempts = Checks.list(attempts, "attempts");
    }
  }

  /**
   * Adds the values of a node's Python functions.
   *
   * @param node of the captured plan
   */
  public record Evaluate(int node) implements Step {
    private static final long serialVersionUID = 1L;
  }

  /**
   * A row for each projection of a node.
   *
   * @param node of the captured plan
   * @param carry refs of columns that are passed on besides
   * @param branch ref of the column that gets the projection's number; null: nobody asks
   */
  public record Expand(int node, List<String> carry, String branch) implements Step {
    private static final long serialVersionUID = 1L;

    public Expand {
      carry = Checks.list(carry, "carry");
    }
  }

  /**
   * Adds the columns of a node's generator.
   *
   * @param node of the captured plan
   */
  public record Generate(int node) implements Step {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Adds columns.
   *
   * @param values the columns
   */
  public record Compute(List<ComputedColumn> values) implements Step {
    private static final long serialVersionUID = 1L;

    public Compute {
      values = Checks.list(values, "values");
    }
  }

  /**
   * Adds a number that equal values of some columns have in common.
   *
   * @param of refs of these columns
   * @param count how many numbers there are
   * @param ref of the column that is added
   */
  public record Bucket(List<String> of, int count, String ref) implements Step {
    private static final long serialVersionUID = 1L;

    public Bucket {
      of = Checks.list(of, "of");
      Checks.present(ref, "ref");
    }
  }

  /**
   * Exactly some columns.
   *
   * @param columns these
   */
  public record Select(List<MappedColumn> columns) implements Step {
    private static final long serialVersionUID = 1L;

    public Select {
      columns = Checks.list(columns, "columns");
    }
  }
}
