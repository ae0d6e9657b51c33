package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.util.DropMalformedMode$;
import org.apache.spark.sql.catalyst.util.FailFastMode$;
import org.apache.spark.sql.catalyst.util.PermissiveMode$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What is decoded here of a {@code from_json}, under the settings of the thread that asks.
 *
 * @param schema of the result
 * @param uses fields that have to be decoded, for any of them may make another one null
 * @param reason why Spark's parser has to read all texts; null: it need not
 */
record Coverage(StructType schema, Uses uses, String reason) {
  /** Options that change nothing for strict JSON, or that are taken account of here. */
  private static final Set<String> OPTIONS = Set.of("mode", "columnnameofcorruptrecord", "timezone",
      "allowcomments", "allowunquotedfieldnames", "allowsinglequotes", "allownumericleadingzeros",
      "allownonnumericnumbers", "allowbackslashescapinganycharacter", "allowunquotedcontrolchars",
      "primitivesasstring", "prefersdecimal");

  /** Options of files and their streams, which parsers do not see, and the end of lines. */
  static final Set<String> FILES = Set.of("path", "basepath", "__globpaths__", "maxfilespertrigger",
      "maxbytespertrigger", "maxfileage", "maxcachedfiles", "latestfirst", "filenameonly",
      "cleansource", "sourcearchivedir", "recursivefilelookup", "pathglobfilter", "modifiedbefore",
      "modifiedafter", "ignorecorruptfiles", "ignoremissingfiles", "linesep", "groundswell.stream");

  static final String DEFAULT_VALUE = "EXISTS_DEFAULT";

  /** Files may be archives of files: a setting of Spark, off by default. */
  static final String ARCHIVES = "spark.sql.files.archive.reader.enabled";

  private static final char REPLACEMENT = '\uFFFD';

  static Coverage of(JsonToStructs call, Uses wanted) {
    String other = other(Scala.list(call.options().keys()), OPTIONS);
    if (other != null) {
      return left("option " + other);
    }
    if (!(call.dataType() instanceof StructType schema)) {
      return left("a result of type " + call.dataType().simpleString());
    }
    if (call.timeZoneId().isEmpty()) {
      return left("no time zone");
    }
    JSONOptions options = options(call);
    return options.parseMode() == DropMalformedMode$.MODULE$
        ? left("mode " + options.parseMode().name())
        : of(schema, options, wanted);
  }

  /** Of lines of files, of which all columns are wanted. */
  static Coverage ofLines(StructType schema, Collection<String> named, JSONOptions options) {
    Set<String> known = new HashSet<>(OPTIONS);
    known.addAll(FILES);
    String other = other(named, known);
    if (other != null) {
      return left("option " + other);
    }
    if (archives()) {
      return left(ARCHIVES);
    }
    if (schema.getFieldIndex(options.columnNameOfCorruptRecord()).nonEmpty()) {
      return left("column " + options.columnNameOfCorruptRecord());
    }
    return of(schema, options, Uses.WHOLE);
  }

  /** The first option that is not among those; null: all are. */
  static String other(Collection<String> named, Set<String> known) {
    return named.stream()
        .filter(option -> !known.contains(option.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElse(null);
  }

  static boolean archives() {
    return Boolean.parseBoolean(SQLConf.get().getConfString(ARCHIVES, "false"));
  }

  private static Coverage of(StructType schema, JSONOptions options, Uses wanted) {
    SQLConf conf = SQLConf.get();
    if (options.timestampFormatInRead().nonEmpty() || options.dateFormatInRead().nonEmpty()) {
      return left("spark.sql.legacy.timeParserPolicy");
    }
    int corrupt = Scala.optional(schema.getFieldIndex(options.columnNameOfCorruptRecord()))
                      .map(Integer.class ::cast)
                      .orElse(-1);
    if (corrupt >= 0 && !schema.apply(corrupt).dataType().equals(DataTypes.StringType)) {
      return left("the type of column " + schema.apply(corrupt).name());
    }
    boolean all = wanted.whole() || options.parseMode() == FailFastMode$.MODULE$
        || (corrupt >= 0 && wanted.of(corrupt) != null);
    Map<Integer, Uses> fields = new TreeMap<>();
    for (int i = 0; i < schema.length(); i++) {
      Uses use = all ? Uses.WHOLE : wanted.of(i);
      if (i != corrupt && use != null) {
        fields.put(i, conf.jsonEnablePartialResults() ? use : Uses.WHOLE);
      }
    }
    Uses uses = new Uses(false, fields);
    return new Coverage(schema, uses, wrong(schema, uses));
  }

  /** Options as Spark's own parser reads them. */
  static JSONOptions options(JsonToStructs call) {
    return new JSONOptions(
        call.options(), call.timeZoneId().get(), SQLConf.get().columnNameOfCorruptRecord());
  }

  /**
   * The filters that may be asked while a text is read. Without them every text has to be read to
   * its end: modes that fail or count by what stands there; names that are written in other ways.
   */
  static PushedFilters pushed(PushedFilters filters, JSONOptions options) {
    return options.parseMode() == PermissiveMode$.MODULE$ && !options.allowComments()
            && !options.allowUnquotedFieldNames()
        ? filters
        : PushedFilters.NONE;
  }

  private static Coverage left(String reason) {
    return new Coverage(null, Uses.NONE, reason);
  }

  private static String wrong(StructType schema, Uses uses) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < schema.length(); i++) {
      StructField field = schema.apply(i);
      if (!names.add(field.name())) {
        return "two columns " + field.name();
      }
      if (field.name().indexOf(REPLACEMENT) >= 0 || field.metadata().contains(DEFAULT_VALUE)) {
        return "column " + field.name();
      }
      // text that is no base64 leaves Jackson within it, so the whole record is lost
      if (field.dataType().existsRecursively(
              Scala.function(type -> type.equals(DataTypes.BinaryType)))) {
        return "type binary";
      }
      String wrong = uses.of(i) == null ? null : wrong(field.dataType(), uses.of(i));
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private static String wrong(DataType type, Uses uses) {
    if (type instanceof StructType struct) {
      return wrong(struct, uses);
    } else if (type instanceof ArrayType array) {
      return wrong(array.elementType(), Uses.WHOLE);
    } else if (type instanceof MapType map && map.keyType().equals(DataTypes.StringType)) {
      return wrong(map.valueType(), Uses.WHOLE);
    }
    return type instanceof MapType || Kind.of(type).isEmpty() ? "type " + type.simpleString()
                                                              : null;
  }
}
