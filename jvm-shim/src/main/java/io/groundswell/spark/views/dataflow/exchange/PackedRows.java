package io.groundswell.spark.views.dataflow.exchange;

import com.google.common.collect.Iterators;
import io.groundswell.engine.EngineServices;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.SharedBlocks;
import io.groundswell.spark.views.operator.spi.Projections;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.TaskCompletionListener;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Rows that are kept while a barrier lasts, as pages of bytes: of a page Spark knows the size at
 * once, where it would walk through samples of rows to guess theirs. See {@link RowBytes}.
 *
 * <p>Spark would let pages have most of the heap, and moves none of them away for caches,
 * mem-tables and operators. So beyond what exchanges may hold, a page is a block of its own on the
 * local disk, and what Spark keeps is a page that names it: -1, length, name.
 */
public final class PackedRows {
  /** A page ends with the row that reaches it. */
  static final int PAGE = 64 << 10;

  private static final long NAMED = -1;
  private static final int NAME_AT = 2 * Long.BYTES;

  private final long blocks = SharedBlocks.newGroup();
  private final RDD<byte[]> pages;
  private final RDD<InternalRow> rows;

  /**
   * @param types of the rows' columns
   */
  public PackedRows(RDD<InternalRow> rows, List<DataType> types) {
    pages = new Packed(rows, types.toArray(DataType[] ::new), blocks);
    pages.persist(StorageLevel.MEMORY_AND_DISK());
    this.rows = new Unpacked(pages, types.size(), blocks);
  }

  /** The rows, which may be read several times; each is good until the next. */
  public RDD<InternalRow> rows() {
    return rows;
  }

  /** Lets go of them. */
  public void end() {
    pages.unpersist(false);
    SharedBlocks.removeGroup(blocks);
  }

  private static final class Packed extends RDD<byte[]> {
    private static final long serialVersionUID = 1L;

    private final DataType[] types;
    private final long blocks;

    Packed(RDD<InternalRow> rows, DataType[] types, long blocks) {
      super(rows, Scala.classTag(byte[].class));
      this.types = types;
      this.blocks = blocks;
    }

    @Override
    public Partition[] getPartitions() {
      return firstParent(Scala.classTag(InternalRow.class)).partitions();
    }

    @Override
    public scala.collection.Iterator<byte[]> compute(Partition split, TaskContext context) {
      RDD<InternalRow> parent = firstParent(Scala.classTag(InternalRow.class));
      Projections code = new Projections();
      context.addTaskCompletionListener((TaskCompletionListener) ended -> code.release());
      return CollectionConverters.asScala(Iterators.transform(
          new Pages(CollectionConverters.asJava(parent.iterator(split, context)), types, code),
          page -> kept(blocks, page)));
    }
  }

  private static final class Unpacked extends RDD<InternalRow> {
    private static final long serialVersionUID = 1L;

    private final int columns;
    private final long blocks;

    Unpacked(RDD<byte[]> pages, int columns, long blocks) {
      super(pages, Scala.classTag(InternalRow.class));
      this.columns = columns;
      this.blocks = blocks;
    }

    @Override
    public Partition[] getPartitions() {
      return firstParent(Scala.classTag(byte[].class)).partitions();
    }

    @Override
    public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
      RDD<byte[]> parent = firstParent(Scala.classTag(byte[].class));
      return CollectionConverters.asScala(
          unpack(Iterators.transform(CollectionConverters.asJava(parent.iterator(split, context)),
                     page -> found(blocks, page)),
              columns));
    }
  }

  private static byte[] kept(long blocks, byte[] page) {
    if (SharedBlocks.memoryUsed() + page.length <= EngineServices.shared().exchanged().total()) {
      return page;
    }
    byte[] name = UUID.randomUUID().toString().replace("-", "").getBytes(StandardCharsets.US_ASCII);
    return SharedBlocks.putOnDisk(blocks, new String(name, StandardCharsets.US_ASCII), page)
        ? ByteBuffer.allocate(NAME_AT + name.length)
              .putLong(NAMED)
              .putLong(page.length)
              .put(name)
              .array()
        : page;
  }

  private static byte[] found(long blocks, byte[] page) {
    if (page.length == 0 || ByteBuffer.wrap(page).getLong() != NAMED) {
      return page;
    }
    String name = new String(page, NAME_AT, page.length - NAME_AT, StandardCharsets.US_ASCII);
    byte[] found = SharedBlocks.of(blocks, name, (int) ByteBuffer.wrap(page).getLong(Long.BYTES));
    if (found == null) {
      throw new IllegalStateException("rows that a barrier keeps are gone with the process that "
          + "had them on its local disk: block " + name);
    }
    return found;
  }

  /** The rows of pages. */
  static Iterator<InternalRow> unpack(Iterator<byte[]> pages, int columns) {
    return new RowBytes.Reader(columns) {
      @Override
      protected boolean turn() {
        if (!pages.hasNext()) {
          return false;
        }
        byte[] page = pages.next();
        open(page, page.length);
        return true;
      }
    };
  }

  /** The pages of rows. */
  static final class Pages implements Iterator<byte[]> {
    private final Iterator<InternalRow> rows;
    private final DataType[] types;
    private final Projections code;
    private UnsafeProjection projection;
    private byte[] page = new byte[1 << 10];

    Pages(Iterator<InternalRow> rows, DataType[] types, Projections code) {
      this.rows = rows;
      this.types = types;
      this.code = code;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public byte[] next() {
      int length = 0;
      while (length < PAGE && rows.hasNext()) {
        UnsafeRow row = unsafe(rows.next());
        int end = Math.addExact(length, RowBytes.size(row));
        if (end > page.length) {
          page = Arrays.copyOf(page, Math.max(end, 2 * Math.min(page.length, PAGE)));
        }
        length = RowBytes.write(row, page, length);
      }
      if (length == 0) {
        throw new NoSuchElementException();
      }
      return Arrays.copyOf(page, length);
    }

    private UnsafeRow unsafe(InternalRow row) {
      if (row instanceof UnsafeRow unsafe) {
        return unsafe;
      }
      if (projection == null) {
        projection = code.rows(types);
      }
      return projection.apply(row);
    }
  }
}
