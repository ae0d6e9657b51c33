package io.groundswell.spark.sql;

import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Changelog;
import org.apache.spark.sql.connector.catalog.ChangelogContext;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Pipelines as a catalog: {@code groundswell.<pipeline>.<view>}. It reads; what changes a pipeline
 * is a statement, which Spark's parser never sees.
 */
public final class ViewCatalog implements TableCatalog, SupportsNamespaces {
  static final String NAME = "groundswell";

  /**
   * There is always one of this name, though it is not listed: clients of a Thrift server begin
   * with USE default, whatever the catalog. It holds nothing, unless a pipeline has the name.
   */
  private static final List<String> DEFAULT = List.of("default");

  private static final String KEY = "spark.sql.catalog." + NAME;

  private String name = NAME;

  /** Makes the catalog known to a session, unless another one has the name. */
  static void install(org.apache.spark.sql.classic.SparkSession session) {
    if (!session.sessionState().conf().contains(KEY)) {
      session.sessionState().conf().setConfString(KEY, ViewCatalog.class.getName());
    }
  }

  @Override
  public void initialize(String given, CaseInsensitiveStringMap options) {
    name = given;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Table loadTable(Identifier view) throws NoSuchTableException {
    String pipeline = String.join(".", view.namespace());
    Long known = QueryEpochs.of(pipeline);
    ViewTable found = load(view, known, null, null);
    Long epoch = found.found().epoch();
    if (epoch != null) {
      QueryEpochs.note(pipeline, epoch);
    }
    return found;
  }

  @Override
  public Table loadTable(Identifier view, String version) throws NoSuchTableException {
    return load(view, null, version, null);
  }

  @Override
  public Table loadTable(Identifier view, long micros) throws NoSuchTableException {
    return load(view, null, null, micros);
  }

  @Override
  public Changelog loadChangelog(Identifier view, ChangelogContext context,
      CaseInsensitiveStringMap options) throws NoSuchTableException {
    ViewChangelog found = ViewChangelog.of(view.name(), List.of(view.namespace()), context);
    if (found == null) {
      throw new NoSuchTableException(view);
    }
    return found;
  }

  private ViewTable load(Identifier view, Long epoch, String version, Long micros)
      throws NoSuchTableException {
    if (view.namespace().length == 1 && StatementParser.defines(view.namespace()[0])) {
      throw new NoSuchTableException(view);
    }
    SqlRequest request =
        new SqlRequest.LoadView(view.name(), List.of(view.namespace()), epoch, version, micros);
    SqlAnswer.ViewAt found = Statements.find(request, SqlAnswer.ViewAt.class);
    if (found == null) {
      throw new NoSuchTableException(view);
    }
    return new ViewTable(
        String.join(".", name, String.join(".", view.namespace()), view.name()), found);
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    SqlAnswer.Names found =
        Statements.find(new SqlRequest.ListViews(List.of(namespace)), SqlAnswer.Names.class);
    if (found == null) {
      return unknown(namespace, new Identifier[0]);
    }
    return found.names()
        .stream()
        .map(table -> Identifier.of(namespace, table))
        .toArray(Identifier[] ::new);
  }

  @Override
  public String[][] listNamespaces() {
    return Statements.find(new SqlRequest.ListPipelines(), SqlAnswer.Names.class)
        .names()
        .stream()
        .map(pipeline -> new String[] {pipeline})
        .toArray(String[][] ::new);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length == 0) {
      return listNamespaces();
    }
    loadNamespaceMetadata(namespace);
    return new String[0][];
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    SqlAnswer.PipelineAt found = Statements.find(
        new SqlRequest.FindPipeline(List.of(namespace)), SqlAnswer.PipelineAt.class);
    if (found == null) {
      return unknown(namespace, Map.of());
    }
    return Map.of(SupportsNamespaces.PROP_LOCATION, found.location());
  }

  /** What is told of a namespace that no pipeline has. */
  private static <T> T unknown(String[] namespace, T nothing) throws NoSuchNamespaceException {
    if (!DEFAULT.equals(List.of(namespace))) {
      throw new NoSuchNamespaceException(namespace);
    }
    return nothing;
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> metadata)
      throws NamespaceAlreadyExistsException {
    if (namespaceExists(namespace)) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
    throw refused("a pipeline is made with CREATE PIPELINE name LOCATION '...'");
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes) {
    throw refused("a pipeline's options are those of CREATE PIPELINE ... WITH (...)");
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade) {
    throw refused("a pipeline is dropped with DROP PIPELINE name");
  }

  @Override
  public Table createTable(Identifier table, TableInfo info) {
    String what = table.name();
    throw refused("a table is part of a pipeline, and " + what + " names none: write groundswell."
        + "<pipeline>." + what + ", or USE groundswell.<pipeline> before; CREATE PIPELINE makes "
        + "one. A session without Groundswell's SQL extension makes no tables in a pipeline");
  }

  @Override
  public Table alterTable(Identifier table, TableChange... changes) {
    throw refused("a view's columns are those of its query: CREATE OR REPLACE MATERIALIZED VIEW");
  }

  @Override
  public boolean dropTable(Identifier table) {
    throw refused("use DROP TABLE or DROP MATERIALIZED VIEW in a session with our extension");
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw refused("use ALTER MATERIALIZED VIEW ... RENAME TO ...");
  }

  private static RuntimeException refused(String what) {
    return new UnsupportedOperationException(what);
  }
}
