package io.groundswell.spark.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the records' constructors see to: nothing is missing, nothing changes later. */
public final class Checks {
  private Checks() {}

  public static <T> T present(T value, String field) {
    if (value == null) {
      throw new IllegalArgumentException("\"" + field + "\" is null");
    }
    return value;
  }

  public static <T> List<T> list(List<T> items, String field) {
    present(items, field).forEach(item -> present(item, field + "[]"));
    return listOfNullable(items, field);
  }

  public static <T> List<T> listOfNullable(List<T> items, String field) {
    return Collections.unmodifiableList(new ArrayList<>(present(items, field)));
  }

  public static <T> Map<String, T> map(Map<String, T> entries, String field) {
    present(entries, field).forEach((key, value) -> present(value, field + "." + key));
    return mapOfNullable(entries, field);
  }

  public static <T> Map<String, T> mapOfNullable(Map<String, T> entries, String field) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(present(entries, field)));
  }
}
