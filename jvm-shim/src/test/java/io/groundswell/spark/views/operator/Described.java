package io.groundswell.spark.views.operator;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.view.MaterializeOperator;
import io.groundswell.spark.views.operator.view.Tracked;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Operators as tests write them: {@code op} says the kind, and what a text leaves out is null,
 * false, 0 or none. What production reads has all fields.
 */
final class Described {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES, JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
          .build();

  /** What else a text may leave out. */
  private static final Map<String, String> USUAL =
      Map.of("joinType", "inner", "conflict", "overwrite", "state", "", "fn", "");

  private Described() {}

  /** The operator; {@code tracked} and {@code group} say how a view's changes come. */
  static RowOperator operator(
      String text, List<List<Column>> inputs, List<Column> output, CallResolver calls) {
    ObjectNode written = (ObjectNode) json(text);
    boolean tracked = written.path("tracked").asBoolean();
    written.remove("tracked");
    JsonNode group = written.remove("group");
    OperatorSpec spec = spec(written);
    if (!tracked) {
      return RowOperators.create(spec, inputs, output, calls);
    }
    List<String> refs =
        group == null ? List.of() : Arrays.asList(JSON.convertValue(group, String[].class));
    return new MaterializeOperator((MaterializeSpec) spec, inputs.get(0), new Tracked(refs));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (java.io.IOException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static OperatorSpec spec(ObjectNode written) {
    String kind = written.remove("op").asText();
    JsonSubTypes kinds = OperatorSpec.class.getAnnotation(JsonSubTypes.class);
    Class<?> found = Arrays.stream(kinds.value())
                         .filter(type -> type.name().equals(kind))
                         .findFirst()
                         .orElseThrow(() -> new IllegalArgumentException(kind))
                         .value();
    ObjectNode filled = filled(written, found).put("kind", kind);
    return Documents.read(filled.toString(), OperatorSpec.class);
  }

  private static ObjectNode filled(JsonNode written, Class<?> document) {
    ObjectNode whole = JSON.createObjectNode();
    written.properties().forEach(entry -> whole.set(snake(entry.getKey()), entry.getValue()));
    for (RecordComponent component : document.getRecordComponents()) {
      String name = component.getName();
      JsonNode given = written.get(name);
      whole.set(snake(name),
          given == null || given.isNull() ? missing(component)
                                          : filled(given, component.getGenericType()));
    }
    return whole;
  }

  private static JsonNode filled(JsonNode given, Type type) {
    if (given instanceof ArrayNode items && type instanceof ParameterizedType list) {
      ArrayNode whole = JSON.createArrayNode();
      items.forEach(item -> whole.add(filled(item, list.getActualTypeArguments()[0])));
      return whole;
    }
    return type instanceof Class<?> document && document.isRecord() ? filled(given, document)
                                                                    : given;
  }

  private static JsonNode missing(RecordComponent component) {
    Class<?> type = component.getType();
    return type == boolean.class                 ? JSON.getNodeFactory().booleanNode(false)
        : type.isPrimitive()                     ? JSON.getNodeFactory().numberNode(0)
        : type == List.class                     ? JSON.createArrayNode()
        : USUAL.containsKey(component.getName()) ? JSON.valueToTree(USUAL.get(component.getName()))
                                                 : JSON.nullNode();
  }

  private static String snake(String name) {
    return new SnakeCaseStrategy().translate(name);
  }
}
