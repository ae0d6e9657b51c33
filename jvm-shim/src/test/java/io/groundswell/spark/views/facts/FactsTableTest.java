package io.groundswell.spark.views.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.facts.Facts.CanFail;
import io.groundswell.spark.views.facts.Facts.ComparableBy;
import io.groundswell.spark.views.facts.Facts.Retractable;
import io.groundswell.spark.views.facts.Facts.VariesWith;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.AggregateWindowFunction;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Nondeterministic;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** The table against the classes and functions of the Spark that runs the tests. */
class FactsTableTest {
  /** Of Spark versions other than the newest. */
  private static final Set<String> OLDER =
      Set.of(FactsTable.SPARK + "catalyst.expressions.TypedNullLiteral");

  private static final Set<VariesWith> SAFE =
      Set.of(VariesWith.NOTHING, VariesWith.SESSION, VariesWith.SAID, VariesWith.ARGUMENTS);

  @Test
  void everyClassOfExpressionsHasARow() throws IOException {
    Set<String> without = new TreeSet<>();
    for (Class<?> type : expressions()) {
      if (!FactsTable.names().contains(type.getName())) {
        without.add(type.getName());
      }
    }
    assertEquals(Set.of(), without, "give them rows in facts.txt");
  }

  @Test
  void everyRowIsOfAClass() throws IOException {
    Set<String> rows = new TreeSet<>(FactsTable.names());
    expressions().forEach(type -> rows.remove(type.getName()));
    rows.removeAll(OLDER);
    assertEquals(
        Set.of("io.groundswell.spark.shims.Expected", "io.groundswell.spark.shims.SortedMap",
            "io.groundswell.spark.views.capture.rewrite.ClockMark"),
        rows);
  }

  @Test
  void everyRegisteredFunctionHasARow() throws IOException {
    Set<String> classes = new TreeSet<>();
    expressions().forEach(type -> classes.add(type.getName()));
    List<FunctionRegistryBase<?>> registries =
        List.of(FunctionRegistry$.MODULE$.builtin(), TableFunctionRegistry$.MODULE$.builtin());
    int seen = 0;
    for (FunctionRegistryBase<?> registry : registries) {
      for (FunctionIdentifier name : CollectionConverters.asJava(registry.listFunction())) {
        String type = registry.lookupFunction(name).get().getClassName();
        // what builds several classes is none itself; the classes that it builds have rows
        assertTrue(FactsTable.names().contains(type) || !classes.contains(type), name + " " + type);
        seen++;
      }
    }
    assertTrue(seen > 400, seen + " functions");
  }

  @Test
  void anUnknownClassPromisesNothing() {
    Facts facts = FactsTable.of("org.example.Guess");
    assertSame(Facts.UNKNOWN, facts);
    assertEquals(VariesWith.UNKNOWN, facts.variesWith());
    assertEquals(Retractable.NO, facts.retractable());
    assertEquals(CanFail.YES, facts.canFail());
  }

  @Test
  void whatSaysThatItIsNotDeterministicIsNotTakenForIt() throws IOException {
    for (Class<?> type : expressions()) {
      if (Nondeterministic.class.isAssignableFrom(type)) {
        Facts facts = FactsTable.of(type.getName());
        assertTrue(!SAFE.contains(facts.variesWith()), type + " " + facts);
      }
    }
  }

  /** A buffer of Spark's is state only where the order of rows does not matter. */
  @Test
  void aggregatesThatDependOnTheOrderKeepTheirInputs() throws IOException {
    for (Class<?> type : expressions()) {
      Facts facts = FactsTable.of(type.getName());
      boolean called = AggregateFunction.class.isAssignableFrom(type)
          && !AggregateWindowFunction.class.isAssignableFrom(type)
          && facts.retractable() != Retractable.NO;
      if (called && facts.comparableBy() == ComparableBy.ORDER) {
        assertEquals(Retractable.VALUES, facts.retractable(), type.getName());
      } else if (called && DeclarativeAggregate.class.isAssignableFrom(type)
          && !RuntimeReplaceable.class.isAssignableFrom(type)) {
        assertTrue(Set.of(Retractable.EXACT, Retractable.BUFFER).contains(facts.retractable()),
            type + " " + facts);
      }
    }
  }

  /** All concrete classes of expressions in Spark's jars. */
  private static List<Class<?>> expressions() throws IOException {
    List<Class<?>> found = new ArrayList<>();
    for (File jar : jars()) {
      try (ZipFile file = new ZipFile(jar)) {
        for (ZipEntry entry : Collections.list(file.entries())) {
          Class<?> type = expression(entry.getName());
          if (type != null) {
            found.add(type);
          }
        }
      }
    }
    assertTrue(found.size() > 700, found.size() + " classes");
    return found;
  }

  static List<File> jars() {
    String path = SparkContext.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    File[] jars = new File(path).getParentFile().listFiles(
        (folder, name) -> name.startsWith("spark-") && name.endsWith(".jar"));
    return List.of(jars);
  }

  private static Class<?> expression(String entry) {
    if (!entry.startsWith("org/apache/spark/sql/") || !entry.endsWith(".class")) {
      return null;
    }
    String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
    try {
      Class<?> type = Class.forName(name, false, FactsTableTest.class.getClassLoader());
      return Expression.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())
          ? type
          : null;
    } catch (ClassNotFoundException | LinkageError e) { // of a module that is not there
      return null;
    }
  }
}
