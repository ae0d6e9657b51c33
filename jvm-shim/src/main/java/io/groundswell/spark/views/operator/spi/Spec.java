package io.groundswell.spark.views.operator.spi;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/** One operator of a dataflow as it was described: fields by name, refs resolved to positions. */
public record Spec(JsonNode json) {
  public String op() {
    return text("op");
  }

  public String text(String field) {
    JsonNode value = json.path(field);
    if (!value.isTextual()) {
      throw invalid("needs the field \"" + field + "\"");
    }
    return value.asText();
  }

  /** The text of an optional field, or null. */
  public String textOrNull(String field) {
    return json.hasNonNull(field) ? json.get(field).asText() : null;
  }

  /** The strings of a list; of an absent or null one, none. */
  public List<String> texts(String field) {
    List<String> all = new ArrayList<>();
    json.path(field).forEach(each -> all.add(each.asText()));
    return all;
  }

  public int number(String field) {
    JsonNode value = json.path(field);
    if (!value.canConvertToInt()) {
      throw invalid("needs a number in \"" + field + "\", got " + value);
    }
    return value.asInt();
  }

  public boolean flag(String field) {
    return json.path(field).asBoolean(false);
  }

  /** The elements of a list; of an absent or null one, none. */
  public List<Spec> list(String field) {
    List<Spec> all = new ArrayList<>();
    json.path(field).forEach(each -> all.add(new Spec(each)));
    return all;
  }

  /** The types of a list; of an absent or null one, none. */
  public List<DataType> types(String field) {
    List<DataType> all = new ArrayList<>();
    json.path(field).forEach(each -> all.add(DataType.fromJson(each.toString())));
    return all;
  }

  /** Position of the column that the field names. */
  public int position(String field, List<Column> columns) {
    return position(json.path(field), columns);
  }

  /** Position of the column that the field names; -1 if the field is absent or null. */
  public int positionOrNone(String field, List<Column> columns) {
    return json.hasNonNull(field) ? position(field, columns) : -1;
  }

  /** Positions of the columns that the field lists; an absent or null field lists none. */
  public int[] positions(String field, List<Column> columns) {
    JsonNode refs = json.path(field);
    int[] found = new int[refs.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = position(refs.get(i), columns);
    }
    return found;
  }

  /** Where each of {@code wanted} stands in {@code columns}. */
  public int[] positions(List<Column> wanted, List<Column> columns) {
    return wanted.stream().mapToInt(column -> find(column.ref(), columns)).toArray();
  }

  /** Refuses an output that is not exactly the input's columns, in their order. */
  public void checkSame(List<Column> output, List<Column> input) {
    if (!Arrays.equals(positions(output, input), Projections.all(input.size()))) {
      throw invalid("must give the columns of its input");
    }
  }

  private int position(JsonNode ref, List<Column> columns) {
    if (!ref.isTextual()) {
      throw invalid("needs a ref, got " + ref);
    }
    return find(ref.asText(), columns);
  }

  public int find(String ref, List<Column> columns) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).ref().equals(ref)) {
        return i;
      }
    }
    throw invalid(
        "names the column " + ref + "; there are " + columns.stream().map(Column::ref).toList());
  }

  public EngineException invalid(String what) {
    return new EngineException(ErrorCode.INVALID_ARGUMENT, "operator " + json + " " + what);
  }
}
