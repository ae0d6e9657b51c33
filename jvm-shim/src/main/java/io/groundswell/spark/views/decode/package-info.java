/**
 * Texts straight into rows: {@code from_json}, and files of JSON and CSV, without tokens, strings
 * or boxed values where they are clean.
 *
 * <p>Roles: {@code Decoding} puts {@code FromJson} into a plan in the place of Spark's expression,
 * and {@code Uses} says which fields are read of it. {@code DecodedFiles} reads files in the place
 * of Spark: {@code JsonFiles} or {@code CsvFiles}, whose {@code Lines} become rows by {@code
 * JsonLines} or {@code CsvLines}. {@code Coverage} and {@code CsvCoverage} say what is decoded
 * here,
 * {@code Layout} is a schema compiled for it. {@code JsonDecoder} decodes a task's texts: {@code
 * JsonReader} (with {@code JsonNumbers} and {@code JsonTokens} below it, {@code IsoTimes} beside
 * it) fills a {@code DecodedRow}, as does {@code CsvReader}.
 *
 * <p>{@code PushedFilters} are conditions that all readers of the rows ask for: {@code RowTest}
 * asks them while a row is read, and {@code FieldsOfCalls} finds the texts that their columns come
 * from.
 *
 * <p>Invariant: the readers take only texts that they fully understand, by strict rules. Whatever
 * is {@code Unusual} goes to Spark's own parser, whole, so that every result is one of Spark's.
 */
package io.groundswell.spark.views.decode;
