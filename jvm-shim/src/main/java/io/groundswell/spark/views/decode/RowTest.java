package io.groundswell.spark.views.decode;

import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Predicate;

/** {@link PushedFilters} over the fields of one row after the other. For one thread. */
final class RowTest {
  private final List<List<Part>> parts = new ArrayList<>(); // by field
  private final boolean[] known;

  /** A condition with its fields. */
  private record Part(BasePredicate condition, int[] fields) {}

  private RowTest(PushedFilters filters, int width) {
    Mark.FILTERS_ASKED_BY_READER.hit();
    this.known = new boolean[width];
    for (int i = 0; i < width; i++) {
      parts.add(new ArrayList<>());
    }
    for (Expression condition : filters.conditions()) {
      Set<Integer> fields = PushedFilters.fields(condition);
      Part part = new Part(
          Predicate.create(condition), fields.stream().mapToInt(Integer::intValue).toArray());
      fields.forEach(field -> parts.get(field).add(part));
    }
  }

  /**
   * @param width how many fields rows have
   * @return null: nothing is asked of them
   */
  static RowTest of(PushedFilters filters, int width) {
    return filters.isEmpty() ? null : new RowTest(filters, width);
  }

  /** Begins another row. */
  void begin() {
    Arrays.fill(known, false);
  }

  /** Whether a condition does not hold of which this field is the last to become known. */
  boolean rejects(InternalRow row, int field) {
    List<Part> asked = parts.get(field);
    if (asked.isEmpty()) {
      return false;
    }
    known[field] = true;
    for (int i = 0; i < asked.size(); i++) {
      Part part = asked.get(i);
      if (isKnown(part.fields()) && !part.condition().eval(row)) {
        return true;
      }
    }
    return false;
  }

  private boolean isKnown(int[] fields) {
    for (int field : fields) {
      if (!known[field]) {
        return false;
      }
    }
    return true;
  }

  /** The fields that conditions read. */
  int[] fields() {
    return IntStream.range(0, parts.size()).filter(field -> !parts.get(field).isEmpty()).toArray();
  }
}
