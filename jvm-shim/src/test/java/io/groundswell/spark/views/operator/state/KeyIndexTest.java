package io.groundswell.spark.views.operator.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.operator.Fixture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class KeyIndexTest {
  private static final UnsafeProjection KEY =
      UnsafeProjection.create(new DataType[] {DataTypes.StringType, DataTypes.LongType});

  private static UnsafeRow key(String text, long number) {
    return KEY.apply(new GenericInternalRow(
        new Object[] {text == null ? null : UTF8String.fromString(text), number}));
  }

  /** Of few hashes, so that different keys share them; a few keys are longer than a page. */
  @Test
  void keysAreNumberedInTheOrderInWhichTheyCome() {
    Random random = new Random(Fixture.seed("KeyIndexTest"));
    KeyIndex index = new KeyIndex();
    Map<UnsafeRow, Integer> expected = new HashMap<>();
    List<UnsafeRow> kept = new ArrayList<>();
    List<UnsafeRow> copies = new ArrayList<>();
    int hashes = 1 + random.nextInt(5000);
    for (int i = 0; i < 20_000; i++) {
      String text = random.nextInt(1000) == 0 ? "x".repeat(random.nextInt(200_000))
          : random.nextInt(9) == 0            ? null
                                              : "key " + random.nextInt(100);
      UnsafeRow key = key(text, random.nextInt(40));
      int hash = Math.floorMod(key.hashCode(), hashes) * 64; // as those of one partition of 64
      int number = index.find(hash, key);
      assertEquals(expected.getOrDefault(key, -1), number);
      if (number < 0) {
        copies.add(key.copy());
        expected.put(copies.get(copies.size() - 1), kept.size());
        assertEquals(kept.size(), index.add(hash, key));
        UnsafeRow at = new UnsafeRow(key.numFields());
        index.point(kept.size(), at);
        kept.add(at);
      }
      int given = expected.get(key);
      assertTrue(index.has(given, key) && index.hash(given) == hash);
      if (given > 0) {
        assertFalse(index.has(given - 1, key));
      }
    }
    assertEquals(copies.size(), index.size());
    assertEquals(copies, kept, "their bytes stay where they are");
  }
}
