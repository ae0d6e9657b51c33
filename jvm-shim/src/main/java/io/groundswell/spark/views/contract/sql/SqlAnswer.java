// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.DataType;

/**
 * What Python says to a question of the JVM about statements, pipelines or views.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = SqlAnswer.Failed.class, name = "failed")
  , @JsonSubTypes.Type(value = SqlAnswer.Missing.class, name = "missing"),
      @JsonSubTypes.Type(value = SqlAnswer.NotOurs.class, name = "not_ours"),
      @JsonSubTypes.Type(value = SqlAnswer.Statement.class, name = "statement"),
      @JsonSubTypes.Type(value = SqlAnswer.Rows.class, name = "rows"),
      @JsonSubTypes.Type(value = SqlAnswer.Names.class, name = "names"),
      @JsonSubTypes.Type(value = SqlAnswer.PipelineAt.class, name = "pipeline"),
      @JsonSubTypes.Type(value = SqlAnswer.FunctionAt.class, name = "function"),
      @JsonSubTypes.Type(value = SqlAnswer.ViewAt.class, name = "view"),
      @JsonSubTypes.Type(value = SqlAnswer.QueriesAt.class, name = "queries"),
      @JsonSubTypes.Type(value = SqlAnswer.ChangesAt.class, name = "changes"),
      @JsonSubTypes.Type(value = SqlAnswer.ChangesBegin.class, name = "begin")
})
public sealed interface SqlAnswer extends Serializable {
  /**
   * An error was raised. Nothing is thrown across py4j: its message would be a stack trace.
   *
   * @param text what is to be said; Python finds the error again by it
   */
  public record Failed(String text) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public Failed {
      Checks.present(text, "text");
    }
  }

  /**
   * There is no such pipeline, table or view.
   */
  public record Missing() implements SqlAnswer {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The statement is Spark's.
   */
  public record NotOurs() implements SqlAnswer {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The statement is ours.
   *
   * @param label what it is called in a plan
   * @param schema of its rows
   */
  public record Statement(String label, DataType schema) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public Statement {
      Checks.present(label, "label");
      Checks.present(schema, "schema");
    }
  }

  /**
   * What a statement gives.
   *
   * @param rows texts, numbers and truth values
   */
  public record Rows(List<List<Object>> rows) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public Rows {
      rows = Checks.list(rows, "rows");
    }
  }

  /**
   * Names of pipelines, or of tables and views.
   *
   * @param names in the order of their definition
   */
  public record Names(List<String> names) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public Names {
      names = Checks.list(names, "names");
    }
  }

  /**
   * A pipeline.
   *
   * @param location where it is kept
   */
  public record PipelineAt(String location) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public PipelineAt {
      Checks.present(location, "location");
    }
  }

  /**
   * A function of a pipeline.
   *
   * @param name as people know it
   * @param temporary the temporary function of the session that it is
   * @param parameters of a function in Python; null: Spark itself knows those of its own
   */
  public record FunctionAt(String name, String temporary, List<Parameter> parameters)
      implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public FunctionAt {
      Checks.present(name, "name");
      Checks.present(temporary, "temporary");
      parameters = parameters == null ? null : Checks.list(parameters, "parameters");
    }
  }

  /**
   * A table or view at an epoch.
   *
   * @param epoch which; null: no epoch has it yet, and it is empty
   * @param schema of its rows, hidden columns included
   * @param columns those that readers see
   * @param properties for {@code DESCRIBE}
   * @param state where its rows are; null: no epoch has it yet
   * @param indexes those that have all of its columns
   */
  public record ViewAt(Long epoch, DataType schema, DataType columns,
      Map<String, String> properties, StateAt state, List<StateAt> indexes) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public ViewAt {
      Checks.present(schema, "schema");
      Checks.present(columns, "columns");
      properties = Checks.map(properties, "properties");
      indexes = Checks.list(indexes, "indexes");
    }
  }

  /**
   * The views of a pipeline with their queries.
   *
   * @param settings those of the session that the views are computed with
   * @param views in the order of their definition
   */
  public record QueriesAt(Map<String, Object> settings, List<QueryAt> views) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public QueriesAt {
      settings = Checks.map(settings, "settings");
      views = Checks.list(views, "views");
    }
  }

  /**
   * A table's or view's changes.
   *
   * @param schema of its rows, hidden columns included
   * @param columns those that readers see
   * @param key names of its key columns, if readers see them all
   * @param netted whether each key changes once at most
   * @param epochs of the range, if they were asked for
   */
  public record ChangesAt(DataType schema, DataType columns, List<String> key, boolean netted,
      List<EpochChanges> epochs) implements SqlAnswer {
    private static final long serialVersionUID = 1L;

    public ChangesAt {
      Checks.present(schema, "schema");
      Checks.present(columns, "columns");
      key = Checks.list(key, "key");
      epochs = Checks.list(epochs, "epochs");
    }
  }

  /**
   * Where a range begins.
   *
   * @param before the offset with which a stream of it begins: the epoch before the first, or
   *     {@code -epoch - 1}, if it begins with all rows of an epoch
   * @param newest the newest epoch that is kept
   */
  public record ChangesBegin(long before, long newest) implements SqlAnswer {
    private static final long serialVersionUID = 1L;
  }
}
