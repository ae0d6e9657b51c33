package io.groundswell.spark.views.operator.spi;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Code that copies columns by position, lent to one run of an operator.
 *
 * <p>To generate a projection takes up to a millisecond even if it is compiled already, too much
 * for each of the tasks of a short barrier; so the JVM keeps those that no run has on loan. Each
 * has a buffer of its own that it gives its row in, so none may serve two runs at a time. {@link
 * #release} ends the loan: then no row may be in use any more.
 */
public final class Projections {
  /** The seed of {@code HashPartitioning}. */
  private static final int SEED = 42;

  private static final Cache<Shape, Deque<Object>> IDLE =
      CacheBuilder.newBuilder().maximumSize(1000).build();

  private final List<Loan> loans = new ArrayList<>();

  private enum Kind { SELECT, KEY, HASH, JOIN }

  /** Whatever has the same shape has the same code. */
  private record Shape(Kind kind, List<DataType> types, List<Integer> numbers) {}

  private record Loan(Deque<Object> from, Object code) {}

  /** These columns, as they are. */
  public UnsafeProjection select(List<Column> columns, int[] positions) {
    DataType[] types = types(columns, positions);
    return (UnsafeProjection) lend(Kind.SELECT, types, positions,
        () -> CopiedColumns.of(types, positions, () -> create(references(columns, positions))));
  }

  /** Rows of these columns, as they are. */
  public UnsafeProjection rows(DataType[] types) {
    int[] all = all(types.length);
    return (UnsafeProjection) lend(Kind.SELECT, types, all,
        () -> CopiedColumns.of(types, all, () -> UnsafeProjection.create(types)));
  }

  /**
   * These columns as a key: equal values have equal bytes, so NaN is one value and -0.0 is 0.0. A
   * key of no columns is one constant byte, so that no key is empty.
   */
  public UnsafeProjection key(List<Column> columns, int[] positions) {
    DataType[] types = types(columns, positions);
    Supplier<UnsafeProjection> generate = () -> create(normalized(columns, positions));
    return (UnsafeProjection) lend(Kind.KEY, types, positions,
        ()
            -> isCopied(columns, positions) ? CopiedColumns.of(types, positions, generate)
                                            : generate.get());
  }

  private static List<Expression> normalized(List<Column> columns, int[] positions) {
    List<Expression> parts = new ArrayList<>();
    for (Expression column : references(columns, positions)) {
      parts.add(NormalizeFloatingNumbers$.MODULE$.normalize(column));
    }
    if (parts.isEmpty()) {
      parts.add(Literal.create((byte) 0, DataTypes.ByteType));
    }
    return parts;
  }

  /** Whether each part of a key is a column as it is. */
  private static boolean isCopied(List<Column> columns, int[] positions) {
    List<Expression> parts = normalized(columns, positions);
    return positions.length > 0 && parts.stream().allMatch(BoundReference.class ::isInstance);
  }

  /** One int: the hash that {@code HashPartitioning} takes over a row's first columns. */
  public UnsafeProjection hash(DataType[] types) {
    return (UnsafeProjection) lend(Kind.HASH, types, new int[0], () -> {
      List<Expression> columns = new ArrayList<>();
      for (int i = 0; i < types.length; i++) {
        columns.add(new BoundReference(i, types[i], true));
      }
      return create(List.of(new Murmur3Hash(seq(columns), SEED)));
    });
  }

  /** Puts two rows side by side. */
  public UnsafeRowJoiner joiner(DataType[] left, DataType[] right) {
    DataType[] both = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return (UnsafeRowJoiner) lend(
        Kind.JOIN, both, new int[] {left.length}, () -> new RowJoiner(left, right));
  }

  private Object lend(Kind kind, DataType[] types, int[] numbers, Supplier<Object> make) {
    Deque<Object> idle =
        idle(new Shape(kind, List.of(types), Arrays.stream(numbers).boxed().toList()));
    Object code = idle.poll();
    loans.add(new Loan(idle, code == null ? make.get() : code));
    return loans.get(loans.size() - 1).code;
  }

  private static Deque<Object> idle(Shape shape) {
    try {
      return IDLE.get(shape, ConcurrentLinkedDeque::new);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Gives everything back; nothing of it may be used afterwards. */
  public void release() {
    loans.forEach(loan -> loan.from.push(loan.code));
    loans.clear();
  }

  public static int[] all(int count) {
    return IntStream.range(0, count).toArray();
  }

  public static DataType[] types(List<Column> columns) {
    return columns.stream().map(Column::type).toArray(DataType[] ::new);
  }

  public static DataType[] types(List<Column> columns, int[] positions) {
    return IntStream.of(positions).mapToObj(p -> columns.get(p).type()).toArray(DataType[] ::new);
  }

  private static List<Expression> references(List<Column> columns, int[] positions) {
    List<Expression> references = new ArrayList<>();
    for (int position : positions) {
      references.add(new BoundReference(position, columns.get(position).type(), true));
    }
    return references;
  }

  private static UnsafeProjection create(List<Expression> expressions) {
    return UnsafeProjection.create(seq(expressions));
  }

  private static Seq<Expression> seq(List<Expression> expressions) {
    return CollectionConverters.asScala(expressions).toSeq();
  }
}
