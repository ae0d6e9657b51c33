package io.groundswell.spark.store.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RangeKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * What is to be moved.
 *
 * @param from state folder of the old checkpoint, {@code .../state}
 * @param to state folder of the new one
 * @param version of all stores, as the newest committed batch left them
 * @param confs pinned by the old checkpoint, provider class included
 */
record MigrationPlan(String from, String to, long version, Map<String, String> confs,
    List<OperatorPlan> operators) implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * One stateful operator.
   *
   * @param partitions their number before
   * @param newPartitions and after
   * @param schemaFiles of Spark's, oldest first, with every schema that its rows ever had; none
   *     where schemas cannot change
   */
  record OperatorPlan(long id, int partitions, int newPartitions, List<String> schemaFiles,
      List<StorePlan> stores) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /**
   * A store of an operator.
   *
   * @param ids by old partition, which attempt at the version counts; null where nobody says
   * @param useFamilies whether Spark keeps several tables in it
   */
  record StorePlan(String name, List<String> ids, boolean useFamilies, List<FamilyPlan> families)
      implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /**
   * A table of a store.
   *
   * @param encoder how Spark reads its keys: its class's simple name; null for plain keys
   * @param numbers what that encoder asks for: the number of prefix columns, or the ordering ones
   * @param distribution key columns that the operator is distributed by: of each the positions on
   *     the way to it, more than one if it stands in a struct
   */
  record FamilyPlan(String name, StructType key, StructType value, String encoder, int[] numbers,
      boolean multiple, int[][] distribution) implements Serializable {
    private static final long serialVersionUID = 1L;

    KeyStateEncoderSpec spec() {
      return switch (encoder == null ? "" : encoder) {
        case "", "NoPrefixKeyStateEncoderSpec" -> new NoPrefixKeyStateEncoderSpec(key);
        case "PrefixKeyScanStateEncoderSpec" -> new PrefixKeyScanStateEncoderSpec(key, numbers[0]);
        case "RangeKeyScanStateEncoderSpec" -> {
          List<Object> ordinals = new ArrayList<>();
          for (int ordinal : numbers) {
            ordinals.add(ordinal);
          }
          yield new RangeKeyScanStateEncoderSpec(key, Scala.seq(ordinals));
        }
        case "TimestampAsPrefixKeyStateEncoderSpec" ->
          new TimestampAsPrefixKeyStateEncoderSpec(key);
        case "TimestampAsPostfixKeyStateEncoderSpec" ->
          new TimestampAsPostfixKeyStateEncoderSpec(key);
        default ->
          throw new IllegalArgumentException("table " + name + " has keys of encoder " + encoder
              + ", which cannot be moved (yet)");
      };
    }
  }

  static MigrationPlan of(JsonNode json) {
    Map<String, String> confs = new LinkedHashMap<>();
    json.path("confs").properties().forEach(e -> confs.put(e.getKey(), e.getValue().asText()));
    List<OperatorPlan> operators = new ArrayList<>();
    for (JsonNode operator : json.path("operators")) {
      List<StorePlan> stores = new ArrayList<>();
      operator.path("stores").forEach(store -> stores.add(store(store)));
      List<String> schemaFiles = new ArrayList<>();
      operator.path("schemaFiles").forEach(file -> schemaFiles.add(file.asText()));
      operators.add(
          new OperatorPlan(operator.path("id").asLong(), operator.path("partitions").asInt(),
              operator.path("newPartitions").asInt(), schemaFiles, stores));
    }
    return new MigrationPlan(json.path("from").asText(), json.path("to").asText(),
        json.path("version").asLong(), confs, operators);
  }

  private static StorePlan store(JsonNode json) {
    List<String> ids = new ArrayList<>();
    json.path("ids").forEach(id -> ids.add(id.isTextual() ? id.asText() : null));
    List<FamilyPlan> families = new ArrayList<>();
    for (JsonNode family : json.path("families")) {
      families.add(new FamilyPlan(family.path("name").asText(), schema(family.path("key")),
          schema(family.path("value")),
          family.hasNonNull("encoder") ? family.path("encoder").asText() : null,
          ints(family.path("numbers")), family.path("multiple").asBoolean(),
          StreamSupport.stream(family.path("distribution").spliterator(), false)
              .map(MigrationPlan::ints)
              .toArray(int[][] ::new)));
    }
    return new StorePlan(
        json.path("name").asText(), ids, json.path("useFamilies").asBoolean(), families);
  }

  private static StructType schema(JsonNode json) {
    return (StructType) DataType.fromJson(json.toString());
  }

  private static int[] ints(JsonNode json) {
    return StreamSupport.stream(json.spliterator(), false).mapToInt(JsonNode::asInt).toArray();
  }
}
