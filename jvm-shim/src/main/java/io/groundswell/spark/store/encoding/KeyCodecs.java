package io.groundswell.spark.store.encoding;

import java.util.stream.IntStream;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RangeKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.types.StructType;

/** Chooses the codec for the way in which Spark declares that it reads a family. */
public final class KeyCodecs {
  /** Ends the names of the join's stores that hold a row under (join key, running number). */
  private static final String JOIN_ROWS = "keyWithIndexToValue";

  private KeyCodecs() {}

  /**
   * A new codec.
   *
   * @param spec what Spark declares
   * @param store name of the store, which for joins says what its keys are
   * @param family name of the column family, likewise
   */
  public static KeyCodec create(KeyStateEncoderSpec spec, String store, String family) {
    StructType schema = spec.keySchema();
    int columns = schema.length();
    if (spec instanceof NoPrefixKeyStateEncoderSpec) {
      boolean joinRows = columns > 1 && (store.endsWith(JOIN_ROWS) || family.endsWith(JOIN_ROWS));
      int bound = joinRows ? columns - 1 : columns;
      return new PointKeyCodec(columns, PartitionHash.first(schema, bound));
    } else if (spec instanceof PrefixKeyScanStateEncoderSpec prefix) {
      return new PrefixKeyCodec(schema, prefix.numColsPrefixKey());
    } else if (spec instanceof RangeKeyScanStateEncoderSpec range) {
      int[] ordinals = ordinals(range);
      return new RangeKeyCodec(schema, ordinals, hashOfRest(schema, ordinals), true);
    } else if (spec instanceof TimestampAsPrefixKeyStateEncoderSpec) {
      int[] time = {columns - 1};
      return new RangeKeyCodec(schema, time, hashOfRest(schema, time), false);
    } else if (spec instanceof TimestampAsPostfixKeyStateEncoderSpec) {
      return new TimestampPostfixKeyCodec(schema);
    }
    throw new IllegalArgumentException("key encoder " + spec.getClass().getName() + " of family "
        + family + " is not known;"
        + " this build supports the encoders of Spark 4.2 and 4.3");
  }

  private static int[] ordinals(RangeKeyScanStateEncoderSpec spec) {
    int[] ordinals = new int[spec.orderingOrdinals().length()];
    for (int i = 0; i < ordinals.length; i++) {
      ordinals[i] = (Integer) spec.orderingOrdinals().apply(i);
    }
    return ordinals;
  }

  /** Timers and expiries are ordered by time; what Spark distributes them by is the rest. */
  private static PartitionHash hashOfRest(StructType schema, int[] ordinals) {
    int[] rest = IntStream.range(0, schema.length())
                     .filter(i -> IntStream.of(ordinals).noneMatch(ordinal -> ordinal == i))
                     .toArray();
    return rest.length == 0 ? PartitionHash.over(schema, ordinals)
                            : PartitionHash.over(schema, rest);
  }
}
