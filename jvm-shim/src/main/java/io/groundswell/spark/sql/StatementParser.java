package io.groundswell.spark.sql;

import io.groundswell.spark.shims.QueryText;
import io.groundswell.spark.shims.StatementCommand;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.types.StructType;

/**
 * Spark's parser, and before it ours: a statement that begins with one of our words is offered to
 * Python, and is Spark's if Python does not take it.
 *
 * <p>A proxy, since the interface has other methods in other versions of Spark.
 */
public final class StatementParser implements InvocationHandler {
  private static final Pattern FIRST_WORD =
      Pattern.compile("(?:\\s|--[^\\n]*\\n|/\\*(?s:.*?)\\*/)*([A-Za-z]+)");
  private static final Pattern NAMES_US = Pattern.compile(
      "(?i)\\bgroundswell\\b|\\b(CREATE|DROP|ALTER|SHOW|DESCRIBE|DESC)\\s+(PIPELINE|SOURCE|SINK|"
      + "JOBS)|FLUSH"
      + "|^\\s*(BEGIN|START\\s+TRANSACTION|COMMIT|ROLLBACK)(\\s+(TRANSACTION|WORK))?\\s*;?\\s*$");
  private static final Set<String> WORDS = Set.of("CREATE", "DROP", "ALTER", "SHOW", "FLUSH",
      "REFRESH", "BEGIN", "START", "COMMIT", "ROLLBACK", "INSERT", "UPDATE", "DELETE", "TRUNCATE",
      "MERGE", "EXPLAIN", "DESCRIBE", "DESC");
  private static final Set<String> PLANS =
      Set.of("parsePlan", "parsePlanWithParameters", "parseQuery");

  /** The pipeline that a query is read for which defines something of it. */
  private static final ThreadLocal<String> DEFINES = new ThreadLocal<>();

  private final SparkSession session;
  private final ParserInterface spark;

  private StatementParser(SparkSession session, ParserInterface spark) {
    this.session = session;
    this.spark = spark;
  }

  /** A parser for the session that takes our statements, too. */
  public static ParserInterface before(SparkSession session, ParserInterface spark) {
    return (ParserInterface) Proxy.newProxyInstance(StatementParser.class.getClassLoader(),
        new Class<?>[] {ParserInterface.class}, new StatementParser(session, spark));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    boolean query = PLANS.contains(method.getName());
    if (query || method.getName().equals("parseMultipartIdentifier")) {
      QueryEpochs.begin();
      ViewCatalog.install(session);
    }
    if (query && !method.getName().equals("parseQuery")) {
      LogicalPlan ours = statement(QueryText.substituted(arguments));
      if (ours != null) {
        return ours;
      }
    }
    try {
      Object parsed = method.invoke(spark, arguments);
      return query ? rewritten((LogicalPlan) parsed, (String) arguments[0]) : parsed;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** What is made of a query that defines something: what its functions are is known there. */
  static <T> T defining(String pipeline, Supplier<T> made) {
    DEFINES.set(pipeline);
    try {
      return made.get();
    } finally {
      DEFINES.remove();
    }
  }

  /**
   * Whether a query is read now that defines something of a pipeline. It reads no rows of that
   * pipeline that are there, but what stands for its relations.
   */
  static boolean defines(String pipeline) {
    return pipeline.equalsIgnoreCase(DEFINES.get());
  }

  private LogicalPlan rewritten(LogicalPlan parsed, String text) {
    CalledFunctions called = DEFINES.get() == null ? CalledFunctions.in(session, text) : null;
    return QueryText.rewritten(parsed, text, called == null ? null : called::find);
  }

  private LogicalPlan statement(String text) {
    Matcher first = FIRST_WORD.matcher(text);
    if (!first.lookingAt() || !WORDS.contains(first.group(1).toUpperCase(java.util.Locale.ROOT))) {
      return null;
    }
    CatalogManager catalogs = session.sessionState().catalogManager();
    boolean inside = catalogs.currentCatalog().name().equals(ViewCatalog.NAME);
    if (!Statements.registered() && !inside && !NAMES_US.matcher(text).find()) {
      return null; // most sessions never need a Python process
    }
    String catalog = catalogs.currentCatalog().name();
    List<String> namespace = List.of(catalogs.currentNamespace());
    SqlAnswer answer =
        Statements.ask(session, new SqlRequest.ParseStatement(text, catalog, namespace));
    if (!(answer instanceof SqlAnswer.Statement ours)) {
      return null;
    }
    StructType schema = (StructType) ours.schema();
    SqlRequest run = new SqlRequest.RunStatement(text, catalog, namespace);
    return StatementCommand.of(
        ours.label(), schema, caller -> rows((SqlAnswer.Rows) Statements.ask(caller, run), schema));
  }

  /** Results of statements are texts, numbers and truth values. */
  private static List<Row> rows(SqlAnswer.Rows found, StructType schema) {
    List<Row> result = new ArrayList<>();
    for (List<Object> row : found.rows()) {
      Object[] values = new Object[schema.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = value(row.get(i), schema.fields()[i].dataType().typeName());
      }
      result.add(RowFactory.create(values));
    }
    return result;
  }

  private static Object value(Object value, String type) {
    if (value == null) {
      return null;
    }
    return switch (type) {
      case "long" -> ((Number) value).longValue();
      case "double" -> ((Number) value).doubleValue();
      case "boolean" -> value;
      default -> value.toString();
    };
  }
}
