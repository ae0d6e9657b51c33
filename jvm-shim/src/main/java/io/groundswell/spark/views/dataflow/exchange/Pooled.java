package io.groundswell.spark.views.dataflow.exchange;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.MapMaker;
import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.FastPath;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Deque;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.util.TaskCompletionListener;
import scala.reflect.ClassTag;

/**
 * What tasks of many barriers have in common: plans, code, operators. Spark reads all that a task
 * does from bytes for each task, which takes a short one longer than what it does. This is made
 * into bytes once; a process reads them if none of its copies is idle, and lends a copy to one task
 * at a time, for neither code nor expressions are safe for two. A task that fails gives none back.
 */
public final class Pooled<T extends Serializable> implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final String PROCESS = UUID.randomUUID().toString();
  private static final AtomicLong LAST = new AtomicLong();
  private static final ConcurrentMap<String, Pooled<?>> MADE_HERE =
      new MapMaker().weakValues().makeMap();

  /** Of all that has idle copies, as bytes; a copy takes some times that. */
  private static final long MOST_BYTES = 4 << 20;

  /**
   * Copies that no task uses. What changes in every barrier, as an operator that a watermark moves,
   * has copies that nobody will ask for.
   */
  private static final Cache<String, Copies> IDLE =
      CacheBuilder.newBuilder()
          .maximumWeight(MOST_BYTES)
          .concurrencyLevel(1) // the weight is divided by it
          .<String, Copies>weigher((id, copies) -> copies.weight)
          .expireAfterAccess(Duration.ofMinutes(1))
          .build();

  private record Copies(int weight, Deque<Object> idle) {}

  private final String id;

  /** Null where all tasks run in this process. */
  private final byte[] sent;

  private final transient byte[] bytes;

  /** Kept, for what it counts with must live on the driver: Spark holds it weakly. */
  private final transient T value;

  private transient T borrowed;

  private Pooled(T value, byte[] bytes, boolean here) {
    this.value = value;
    this.id = PROCESS + "-" + LAST.incrementAndGet();
    this.bytes = bytes;
    this.sent = here ? null : bytes;
    MADE_HERE.put(id, this);
  }

  /** Something as it is now; what becomes of it later is not seen. */
  public static <T extends Serializable> Pooled<T> of(SparkContext context, T value) {
    return new Pooled<>(value, write(value), context.isLocal());
  }

  /** The same, if the value has not changed, so that copies of it may be used again. */
  public Pooled<T> as(SparkContext context, T newValue) {
    byte[] now = write(newValue);
    return Arrays.equals(now, bytes) ? this : new Pooled<>(newValue, now, context.isLocal());
  }

  /** This task's copy, until the task ends. */
  public synchronized T get(TaskContext context) {
    if (borrowed == null) {
      byte[] from = sent == null ? MADE_HERE.get(id).bytes : sent;
      Deque<Object> idle = idle(from.length);
      Object copy = FastPath.LENT_COPY.isOpen() ? idle.poll() : null;
      T own = copy == null ? read(from) : cast(copy);
      borrowed = own;
      context.addTaskCompletionListener((TaskCompletionListener) ended -> {
        if (!ended.isFailed() && !ended.isInterrupted()) {
          idle.push(own);
        }
      });
    }
    return borrowed;
  }

  private Deque<Object> idle(int weight) {
    try {
      return IDLE.get(id, () -> new Copies(weight, new ConcurrentLinkedDeque<>())).idle;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> T cast(Object copy) {
    return (T) copy;
  }

  private static <T> byte[] write(T value) {
    ByteBuffer written = serializer().serialize(value, any());
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }

  private static <T> T read(byte[] from) {
    return serializer().deserialize(
        ByteBuffer.wrap(from), Thread.currentThread().getContextClassLoader(), any());
  }

  /** The one that Spark sends tasks with. */
  private static SerializerInstance serializer() {
    return SparkEnv.get().closureSerializer().newInstance();
  }

  private static <T> ClassTag<T> any() {
    return Scala.classTag(Object.class);
  }
}
