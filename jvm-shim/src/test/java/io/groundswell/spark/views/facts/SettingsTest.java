package io.groundswell.spark.views.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.facts.Settings.Effect;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import org.junit.jupiter.api.Test;

/** The table of settings against what the code of Spark's functions asks for. */
class SettingsTest {
  private static final String CONF = "org/apache/spark/sql/internal/SQLConf";
  private static final Set<String> OWNERS =
      Set.of(CONF, "org/apache/spark/sql/internal/SqlApiConf");

  /** Where Spark has its functions, and what they call. */
  private static final List<String> FUNCTIONS =
      List.of("org/apache/spark/sql/catalyst/expressions/", "org/apache/spark/sql/catalyst/util/",
          "org/apache/spark/sql/catalyst/csv/", "org/apache/spark/sql/catalyst/json/",
          "org/apache/spark/sql/catalyst/xml/", "org/apache/spark/sql/execution/python/");

  @Test
  void everySettingThatAFunctionAsksForHasARow() throws IOException {
    Map<String, Set<String>> entries = new TreeMap<>(); // by the method of SQLConf that reads them
    Set<String> methods = new TreeSet<>();
    Set<String> read = new TreeSet<>();
    for (File jar : FactsTableTest.jars()) {
      try (ZipFile file = new ZipFile(jar)) {
        for (ZipEntry entry : Collections.list(file.entries())) {
          boolean conf = entry.getName().equals(CONF + ".class");
          boolean function = entry.getName().endsWith(".class")
              && FUNCTIONS.stream().anyMatch(entry.getName()::startsWith);
          if (conf || function) {
            calls(file.getInputStream(entry), (in, owner, name, type) -> {
              if (owner.equals(CONF + "$") && type.contains("ConfigEntry")) {
                (conf ? entries.computeIfAbsent(in, any -> new TreeSet<>()) : read).add(name);
              } else if (function && OWNERS.contains(owner)) {
                methods.add(name);
              }
            });
          }
        }
      }
    }
    methods.forEach(method -> read.addAll(entries.getOrDefault(method, Set.of())));
    Set<String> keys = new TreeSet<>();
    read.stream().map(SettingsTest::key).filter(Objects::nonNull).forEach(keys::add);
    assertTrue(keys.size() > 100, keys.size() + " settings");
    keys.removeIf(key -> Settings.effect(key) != Effect.UNKNOWN);
    assertEquals(Set.of(), keys, "give them rows in settings.txt");
  }

  @Test
  void theLongestRowCounts() {
    assertEquals(Effect.NONE, Settings.effect("spark.sql.execution.pyspark.udf.profiler"));
    assertEquals(Effect.VALUE, Settings.effect("spark.sql.execution.pyspark.binaryAsBytes"));
    assertEquals(Effect.VALUE, Settings.effect("spark.sql.legacy.timeParserPolicy"));
    assertEquals(Effect.UNKNOWN, Settings.effect("spark.executor.memory"));
  }

  private interface Call {
    void made(String in, String owner, String name, String type);
  }

  private static void calls(InputStream code, Call call) throws IOException {
    new ClassReader(code).accept(new ClassVisitor(Opcodes.ASM9) {
      @Override
      public MethodVisitor visitMethod(
          int access, String method, String type, String signature, String[] thrown) {
        return new MethodVisitor(Opcodes.ASM9) {
          @Override
          public void visitMethodInsn(
              int opcode, String owner, String name, String descriptor, boolean inInterface) {
            call.made(method, owner, name, descriptor);
          }
        };
      }
    }, 0);
  }

  /** The key of an entry by the name of its field, or null if that is a method of another kind. */
  private static String key(String name) {
    try {
      Object entry = SQLConf$.class.getMethod(name).invoke(SQLConf$.MODULE$);
      return entry instanceof ConfigEntry<?> found ? found.key() : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
