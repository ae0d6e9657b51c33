package io.groundswell.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BloomFilterTest {
  /** The rates that package-info names; the theory of such filters gives the same. */
  @ParameterizedTest
  @CsvSource({"10, 0.0126", "16, 0.00132"})
  void wrongAnswersAndBitsPerKeyAreAsPromised(int bitsPerKey, double promised) {
    assertEquals(promised, theory(bitsPerKey), 0.02 * promised);
    int keys = 100_000;
    BloomBuilder builder = new BloomBuilder();
    for (int i = 0; i < keys; i++) {
      builder.add(3, i);
    }
    byte[] bits = builder.build(bitsPerKey);
    assertEquals(bitsPerKey, 8.0 * bits.length / keys, 0.01);
    BloomFilter filter = new BloomFilter(bits, 0, bits.length);
    int wrong = 0;
    int probes = 500_000;
    for (int i = 0; i < probes; i++) {
      wrong += filter.mayContain(new FilterKey().set(3, keys + i)) ? 1 : 0;
    }
    double rate = (double) wrong / probes;
    System.out.println(bitsPerKey + " bits a key: " + rate + " of absent keys pass");
    assertEquals(promised, rate, 0.1 * promised);
  }

  /** A block has a Poisson number of keys; a probe passes if 8 words have its bit set. */
  private static double theory(int bitsPerKey) {
    double mean = 256.0 / bitsPerKey;
    double probability = Math.exp(-mean);
    double rate = 0;
    for (int keys = 0; keys < 200; keys++) {
      rate += probability * Math.pow(1 - Math.pow(31.0 / 32, keys), 8);
      probability *= mean / (keys + 1);
    }
    return rate;
  }

  @Test
  void whatWasAddedIsFound() {
    Seeds.each(200, random -> {
      BloomBuilder builder = new BloomBuilder();
      int[] hashes = random.ints(1 + random.nextInt(500)).toArray();
      for (int hash : hashes) {
        builder.add(hash & 0xFFFF, hash);
      }
      byte[] bits = builder.build(1 + random.nextInt(20));
      BloomFilter filter = new BloomFilter(bits, 0, bits.length);
      for (int hash : hashes) {
        assertTrue(filter.mayContain(new FilterKey().set(hash & 0xFFFF, hash)));
      }
    });
  }

  @Test
  void tableCountsAndRunsCountOnce() {
    BloomBuilder builder = new BloomBuilder();
    for (int i = 0; i < 1000; i++) {
      builder.add(1, 77);
    }
    assertEquals(1, builder.size());
    byte[] bits = builder.build(10);
    assertEquals(BloomFilter.BLOCK_BYTES, bits.length);
    BloomFilter filter = new BloomFilter(bits, 0, bits.length);
    assertTrue(filter.mayContain(new FilterKey().set(1, 77)));
    assertTrue(!filter.mayContain(new FilterKey().set(2, 77)));
  }

  @Test
  void noKeysOrNoBitsMakeNoFilterAndOddLengthsAreRefused() {
    assertEquals(0, new BloomBuilder().build(10).length);
    BloomBuilder one = new BloomBuilder();
    one.add(1, 1);
    assertEquals(0, one.build(0).length);
    assertThrows(EngineException.class, () -> new BloomFilter(new byte[33], 0, 33));
    assertThrows(EngineException.class, () -> new BloomFilter(new byte[0], 0, 0));
  }
}
