package io.groundswell.spark.views.decode;

import com.univocity.parsers.csv.UnescapedQuoteHandling;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.util.PermissiveMode$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Which lines of CSV are decoded here. */
final class CsvCoverage {
  /** Options that change nothing for usual lines, or that are taken account of here. */
  private static final Set<String> OPTIONS =
      Set.of("header", "enforceschema", "inferschema", "samplingratio", "mode",
          "columnnameofcorruptrecord", "timezone", "sep", "delimiter", "quote", "escape", "comment",
          "nullvalue", "emptyvalue", "encoding", "charset", "multiline", "ignoreleadingwhitespace",
          "ignoretrailingwhitespace", "preferdate", "columnpruning", "unescapedquotehandling",
          "escapequotes", "quoteall", "inputbuffersize", "enabledatetimeparsingfallback");

  static final int MOST_COLUMNS = 20_000; // Spark's parser has 20,480

  private CsvCoverage() {}

  /**
   * Why Spark's parser has to read all lines; null: it need not.
   *
   * @param columns of the files
   * @param read those that are wanted
   * @param named the options that are set
   */
  static String reason(
      StructType columns, StructType read, Collection<String> named, CSVOptions options) {
    Set<String> known = new HashSet<>(OPTIONS);
    known.addAll(Coverage.FILES);
    String other = Coverage.other(named, known);
    if (other != null) {
      return "option " + other;
    }
    String reason = reason(options);
    if (reason != null) {
      return reason;
    }
    if (Coverage.archives()) {
      return Coverage.ARCHIVES;
    }
    if (columns.getFieldIndex(options.columnNameOfCorruptRecord()).nonEmpty()) {
      return "column " + options.columnNameOfCorruptRecord();
    }
    return columns.length() > MOST_COLUMNS ? columns.length() + " columns" : wrong(columns, read);
  }

  private static String reason(CSVOptions options) {
    if (options.multiLine()) {
      return "option multiLine";
    }
    if (options.ignoreLeadingWhiteSpaceInRead()) {
      return "option ignoreLeadingWhiteSpace";
    }
    if (options.ignoreTrailingWhiteSpaceInRead()) {
      return "option ignoreTrailingWhiteSpace";
    }
    if (!options.charset().equalsIgnoreCase(StandardCharsets.UTF_8.name())) {
      return "encoding " + options.charset();
    }
    // a line may have a feed in it then, which Spark's parser may take into the line after it
    if (options.lineSeparator().nonEmpty()) {
      return "option lineSep";
    }
    // the error counts the lines that Spark's parser has seen
    if (options.unescapedQuoteHandling() == UnescapedQuoteHandling.RAISE_ERROR) {
      return "option unescapedQuoteHandling";
    }
    if (options.timestampFormatInRead().nonEmpty()) {
      return "spark.sql.legacy.timeParserPolicy";
    }
    String delimiter = options.delimiter();
    if (delimiter.length() != 1 || !(isPrinted(delimiter.charAt(0)) || delimiter.equals("\t"))) {
      return "option sep";
    }
    Set<Character> marks = new HashSet<>();
    marks.add(delimiter.charAt(0));
    if (!isPrinted(options.quote()) || !marks.add(options.quote())) {
      return "option quote";
    }
    if (!isPrinted(options.escape()) || options.escape() == delimiter.charAt(0)) {
      return "option escape";
    }
    marks.add(options.escape());
    return options.isCommentSet()
            && (!isPrinted(options.comment()) || !marks.add(options.comment()))
        ? "option comment"
        : null;
  }

  /** The filters that may be asked while a line is read: none in a mode that drops or fails. */
  static PushedFilters pushed(PushedFilters filters, CSVOptions options) {
    return options.parseMode() == PermissiveMode$.MODULE$ ? filters : PushedFilters.NONE;
  }

  private static boolean isPrinted(char mark) {
    return mark > ' ' && mark < 0x7F;
  }

  private static String wrong(StructType columns, StructType read) {
    Set<String> names = new HashSet<>();
    for (StructField column : columns.fields()) {
      if (!names.add(column.name())) {
        return "two columns " + column.name();
      }
      if (column.metadata().contains(Coverage.DEFAULT_VALUE)) {
        return "column " + column.name();
      }
    }
    for (StructField column : read.fields()) {
      if (Kind.of(column.dataType()).isEmpty()) {
        return "type " + column.dataType().simpleString();
      }
    }
    return null;
  }
}
