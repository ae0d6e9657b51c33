package io.groundswell.spark.sql;

import io.groundswell.spark.shims.PipelineFunction;
import io.groundswell.spark.views.contract.sql.Parameter;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import scala.Option;

/** The functions of pipelines that one query calls, each asked for once. */
public final class CalledFunctions {
  private final SparkSession session;
  private final String catalog;
  private final List<String> namespace;
  private final Map<List<String>, PipelineFunction> known = new HashMap<>();

  private CalledFunctions(SparkSession session) {
    CatalogManager catalogs = session.sessionState().catalogManager();
    this.session = session;
    this.catalog = catalogs.currentCatalog().name();
    this.namespace = List.of(catalogs.currentNamespace());
  }

  /** Those that a text may call; null: it cannot name any. */
  static CalledFunctions in(SparkSession session, String text) {
    if (!Statements.registered() || text.indexOf('(') < 0) {
      return null;
    }
    CalledFunctions made = new CalledFunctions(session);
    boolean names = text.toLowerCase(Locale.ROOT).contains(ViewCatalog.NAME);
    return made.catalog.equals(ViewCatalog.NAME) || names ? made : null;
  }

  /** Whether Spark has a function of that name, which counts before a pipeline's. */
  public static boolean isBuiltin(String name) {
    FunctionIdentifier asked =
        new FunctionIdentifier(name.toLowerCase(Locale.ROOT), Option.empty(), Option.empty());
    return FunctionRegistry.builtin().functionExists(asked)
        || TableFunctionRegistry.builtin().functionExists(asked);
  }

  /** Whether a session has such a temporary function. */
  public static boolean has(org.apache.spark.sql.SparkSession session, String temporary) {
    return ((SparkSession) session)
        .sessionState()
        .catalog()
        .isTemporaryFunction(new FunctionIdentifier(temporary, Option.empty(), Option.empty()));
  }

  PipelineFunction find(List<String> name) {
    List<String> parts = name.stream().map(part -> part.toLowerCase(Locale.ROOT)).toList();
    List<String> place = place(parts);
    if (place == null || (parts.size() == 1 && isSparks(parts.get(0)))) {
      return null;
    }
    if (!known.containsKey(parts)) {
      String last = parts.get(parts.size() - 1);
      SqlAnswer answer = Statements.ask(session, new SqlRequest.FindFunction(last, place));
      known.put(parts, answer instanceof SqlAnswer.FunctionAt found ? of(found) : null);
    }
    return known.get(parts);
  }

  private boolean isSparks(String name) {
    return isBuiltin(name) || has(session, name);
  }

  /** The namespace that a function's name means; null: it is none of the catalog's. */
  private List<String> place(List<String> parts) {
    if (parts.size() == 3 && parts.get(0).equals(ViewCatalog.NAME)) {
      return List.of(parts.get(1));
    }
    if (!catalog.equals(ViewCatalog.NAME)) {
      return null;
    }
    return switch (parts.size()) {
      case 1 -> namespace.size() == 1 ? namespace : null;
      case 2 -> List.of(parts.get(0));
      default -> null;
    };
  }

  static PipelineFunction of(SqlAnswer.FunctionAt found) {
    List<Parameter> parameters = found.parameters();
    return parameters == null ? new PipelineFunction(found.name(), found.temporary(), null, null)
                              : new PipelineFunction(found.name(), found.temporary(),
                                    parameters.stream().map(Parameter::name).toList(),
                                    parameters.stream().map(Parameter::type).toList());
  }
}
