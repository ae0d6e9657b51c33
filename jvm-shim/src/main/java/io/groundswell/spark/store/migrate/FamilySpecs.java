package io.groundswell.spark.store.migrate;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.store.contract.FamilyPlan;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RangeKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.types.StructType;

/** A table of a plan as Spark's stores and our hash take it. */
final class FamilySpecs {
  private FamilySpecs() {}

  static StructType key(FamilyPlan family) {
    return (StructType) family.key();
  }

  static StructType value(FamilyPlan family) {
    return (StructType) family.value();
  }

  static int[][] distribution(FamilyPlan family) {
    return family.distribution()
        .stream()
        .map(way -> way.stream().mapToInt(Integer::intValue).toArray())
        .toArray(int[][] ::new);
  }

  static KeyStateEncoderSpec encoder(FamilyPlan family) {
    StructType key = key(family);
    List<Integer> numbers = family.numbers();
    return switch (family.encoder() == null ? "" : family.encoder()) {
      case "", "NoPrefixKeyStateEncoderSpec" -> new NoPrefixKeyStateEncoderSpec(key);
      case "PrefixKeyScanStateEncoderSpec" ->
        new PrefixKeyScanStateEncoderSpec(key, numbers.get(0));
      case "RangeKeyScanStateEncoderSpec" -> {
        List<Object> ordinals = new ArrayList<>(numbers);
        yield new RangeKeyScanStateEncoderSpec(key, Scala.seq(ordinals));
      }
      case "TimestampAsPrefixKeyStateEncoderSpec" -> new TimestampAsPrefixKeyStateEncoderSpec(key);
      case "TimestampAsPostfixKeyStateEncoderSpec" ->
        new TimestampAsPostfixKeyStateEncoderSpec(key);
      default ->
        throw new IllegalArgumentException("table " + family.name() + " has keys of encoder "
            + family.encoder() + ", which cannot be moved (yet)");
    };
  }
}
