// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A question of a session of the JVM about statements, pipelines or views.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = SqlRequest.ParseStatement.class, name = "parse")
  , @JsonSubTypes.Type(value = SqlRequest.RunStatement.class, name = "run"),
      @JsonSubTypes.Type(value = SqlRequest.LoadView.class, name = "load"),
      @JsonSubTypes.Type(value = SqlRequest.LoadChanges.class, name = "changes"),
      @JsonSubTypes.Type(value = SqlRequest.ListViews.class, name = "views"),
      @JsonSubTypes.Type(value = SqlRequest.FindPipeline.class, name = "pipeline"),
      @JsonSubTypes.Type(value = SqlRequest.FindFunction.class, name = "function"),
      @JsonSubTypes.Type(value = SqlRequest.LoadQueries.class, name = "queries"),
      @JsonSubTypes.Type(value = SqlRequest.ListPipelines.class, name = "pipelines")
})
public sealed interface SqlRequest extends Serializable {
  /**
   * Whether a statement is ours, and what it gives.
   *
   * @param text the statement
   * @param catalog the session's current catalog
   * @param namespace the session's current namespace
   */
  public record ParseStatement(String text, String catalog, List<String> namespace)
      implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public ParseStatement {
      Checks.present(text, "text");
      Checks.present(catalog, "catalog");
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * Runs a statement of ours.
   *
   * @param text the statement
   * @param catalog the current catalog of the session that parsed it
   * @param namespace the current namespace of that session
   */
  public record RunStatement(String text, String catalog, List<String> namespace)
      implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public RunStatement {
      Checks.present(text, "text");
      Checks.present(catalog, "catalog");
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * Where the rows of a table or view are at an epoch; the newest one, if none is named.
   *
   * @param name its name
   * @param namespace its pipeline, if there is one name
   * @param epoch that epoch
   * @param version the same, as SQL says it
   * @param micros the newest epoch that was published by then
   */
  public record LoadView(String name, List<String> namespace, Long epoch, String version,
      Long micros) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public LoadView {
      Checks.present(name, "name");
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * What epochs changed in a table or view.
   *
   * @param name its name
   * @param namespace its pipeline, if there is one name
   * @param want {@code schema}: its columns, if the range is there; {@code rows}: the epochs of
   *     the range, too; {@code begin}: only where the range begins
   * @param net whether there is to be at most one change a key
   * @param range which epochs
   */
  public record LoadChanges(String name, List<String> namespace, String want, boolean net,
      EpochRange range) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public LoadChanges {
      Checks.present(name, "name");
      namespace = Checks.list(namespace, "namespace");
      Checks.present(want, "want");
      Checks.present(range, "range");
    }
  }

  /**
   * The tables and views of a pipeline.
   *
   * @param namespace the pipeline, if there is one name
   */
  public record ListViews(List<String> namespace) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public ListViews {
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * Where a pipeline is.
   *
   * @param namespace the pipeline, if there is one name
   */
  public record FindPipeline(List<String> namespace) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public FindPipeline {
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * What a function is that a query calls.
   *
   * @param name its name
   * @param namespace its pipeline, if there is one name
   */
  public record FindFunction(String name, List<String> namespace) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public FindFunction {
      Checks.present(name, "name");
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * The queries of all views that a pipeline has at an epoch.
   *
   * @param namespace the pipeline, if there is one name
   * @param epoch that epoch
   */
  public record LoadQueries(List<String> namespace, long epoch) implements SqlRequest {
    private static final long serialVersionUID = 1L;

    public LoadQueries {
      namespace = Checks.list(namespace, "namespace");
    }
  }

  /**
   * The pipelines that the session knows.
   */
  public record ListPipelines() implements SqlRequest {
    private static final long serialVersionUID = 1L;
  }
}
