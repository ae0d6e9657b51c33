package io.groundswell.spark.views.operator.aggregate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.junit.jupiter.api.Test;

/** Every call over a bag of random rows, compared after each epoch with Spark's own function. */
class RandomAggregateTest {
  private static final List<Column> INPUT =
      Fixture.columns("g", DataTypes.StringType, "x", DataTypes.IntegerType, "d",
          DataTypes.DoubleType, "ok", DataTypes.BooleanType, "l", DataTypes.LongType, "m",
          DataTypes.createDecimalType(9, 2), "w", DataTypes.createDecimalType(30, 4), "s",
          DataTypes.StringType, "f", DataTypes.FloatType, "t", DataTypes.TimestampType, "b",
          DataTypes.ShortType, "i", DataTypes.createDayTimeIntervalType());

  private static final String[] CALLS = {"count()", "count(x)", "sum(x)", "avg(x)", "min(x)",
      "max(x)", "count(distinct x)", "sum(distinct x)", "avg(distinct x)", "sum(x) if ok",
      "count(distinct x) if ok", "sum(distinct x) if ok", "max(x) if ok", "count(distinct s) if ok",
      "sum(d)", "avg(d)", "min(d)", "max(d)", "sum(l)", "avg(l)", "max(l)", "sum(m)", "avg(m)",
      "min(m)", "sum(w)", "avg(w)", "max(w)", "min(s)", "max(s)", "sum(f)", "min(f)", "max(t)",
      "sum(b)", "min(b)", "min(ok)", "sum(i)", "avg(i)", "max(i)"};

  private static final List<AggregateFixture.Call> PARSED =
      Arrays.stream(CALLS).map(text -> AggregateFixture.parse(text, INPUT)).toList();

  @Test
  void groupedCallsEqualSparks() {
    run(List.of("g"), 40);
  }

  @Test
  void globalCallsEqualSparks() {
    run(List.of(), 25);
  }

  @Test
  void callsGroupedByNumbersEqualSparks() {
    run(List.of("m", "ok"), 15);
  }

  @Test
  @Reaches(Mark.VALUE_LEAVES_EARLY)
  void groupsThatDoNotFitAreTakenInPasses() {
    EngineServices.configureShared(0, 1, 1);
    try {
      groupedCallsEqualSparks();
      globalCallsEqualSparks();
      callsGroupedByNumbersEqualSparks();
    } finally {
      EngineServices.closeShared();
    }
  }

  private static void run(List<String> grouping, int epochs) {
    Random random = new Random(Fixture.seed("RandomAggregateTest " + grouping));
    int[] key = grouping.stream()
                    .mapToInt(g -> INPUT.stream().map(Column::ref).toList().indexOf(g))
                    .toArray();
    try (Fixture f = AggregateFixture.of(INPUT, grouping, CALLS)) {
      List<List<Object>> bag = new ArrayList<>();
      Map<List<Object>, List<Object>> given = Fixture.table();
      for (int epoch = 0; epoch < epochs; epoch++) {
        List<Change> changes = new ArrayList<>();
        for (int n = random.nextInt(8); n > 0; n--) {
          List<Object> row = row(random);
          bag.add(row);
          changes.add(new Change(1, row));
        }
        for (int n = random.nextInt(9); n > 0 && !bag.isEmpty(); n--) {
          changes.add(new Change(-1, bag.remove(random.nextInt(bag.size()))));
        }
        Fixture.apply(given, f.shuffled(random, changes),
            java.util.stream.IntStream.range(0, key.length).toArray());
        assertEquals(expected(bag, key), given, "epoch " + epoch);
      }
    }
  }

  private static Map<List<Object>, List<Object>> expected(List<List<Object>> bag, int[] key) {
    Map<List<Object>, List<List<Object>>> groups = Fixture.table();
    if (key.length == 0) {
      groups.put(List.of(), new ArrayList<>());
    }
    for (List<Object> row : bag) {
      List<Object> keyed = new ArrayList<>();
      Arrays.stream(key).forEach(k -> keyed.add(row.get(k)));
      groups.computeIfAbsent(keyed, k -> new ArrayList<>()).add(row);
    }
    Map<List<Object>, List<Object>> results = Fixture.table();
    groups.forEach((keyed, rows) -> {
      List<Object> result = new ArrayList<>(keyed);
      PARSED.forEach(call -> result.add(over(call, rows)));
      results.put(keyed, result);
    });
    return results;
  }

  private static Object over(AggregateFixture.Call call, List<List<Object>> rows) {
    List<Object> values = new ArrayList<>();
    for (List<Object> row : rows) {
      if (call.filter() < 0 || Boolean.TRUE.equals(row.get(call.filter()))) {
        values.add(Fixture.internal(call.arg() < 0 ? (Object) 1L : row.get(call.arg())));
      }
    }
    return Fixture.external(call.function().over(
        call.distinct() ? new ArrayList<>(new LinkedHashSet<>(values)) : values));
  }

  /** Sums of doubles stay within 53 bits, so that Spark's, too, are exact in any order. */
  private static List<Object> row(Random r) {
    Object[] row = {"g" + r.nextInt(3), r.nextInt(7) - 3,
        r.nextInt(15) == 0 ? special(r) : (r.nextInt(41) - 20) / 4.0, r.nextBoolean(),
        r.nextInt(4) == 0 ? (1L << 45) + r.nextInt(3) : (long) r.nextInt(9),
        Decimal.apply(BigDecimal.valueOf(r.nextInt(5) - 2, 2), 9, 2),
        Decimal.apply(new BigDecimal("1234567890123456789012.3456")
                          .multiply(BigDecimal.valueOf(r.nextInt(7) - 3)),
            30, 4),
        new String[] {"", "a", "a\0", "ab", "é", "zz"}[r.nextInt(6)], (r.nextInt(9) - 4) / 2f,
        r.nextLong() >> 40, (short) (r.nextInt(5) - 2), (long) r.nextInt(1000) - 500};
    for (int i = 0; i < row.length; i++) {
      row[i] = r.nextInt(5) == 0 ? null : row[i];
    }
    return Arrays.asList(row);
  }

  private static double special(Random r) {
    return new double[] {
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}[r.nextInt(3)];
  }
}
