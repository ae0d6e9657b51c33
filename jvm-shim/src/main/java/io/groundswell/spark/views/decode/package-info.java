/**
 * Texts straight into rows: {@code from_json} over clean JSON without tokens, strings or boxed
 * values.
 *
 * <p>Roles: {@code Decoding} puts {@code FromJson} into a plan in the place of Spark's expression,
 * and {@code Uses} says which fields are read of it; {@code JsonFiles} and {@code JsonLines} read
 * files. {@code Coverage} says what is decoded here,
 * {@code Layout} is a schema compiled for it. {@code JsonDecoder} decodes a task's texts: {@code
 * JsonReader} (with {@code JsonNumbers} and {@code JsonTokens} below it, {@code IsoTimes} beside
 * it) fills a {@code DecodedRow}.
 *
 * <p>Invariant: the reader takes only texts that it fully understands, by strict rules. Whatever is
 * {@code Unusual} goes to Spark's own parser, whole, so that every result is one of Spark's.
 */
package io.groundswell.spark.views.decode;
