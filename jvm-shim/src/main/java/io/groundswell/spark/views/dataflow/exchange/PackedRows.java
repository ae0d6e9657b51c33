package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
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
 * once, where it would walk through samples of rows to guess theirs, and it can move it to disk.
 * See {@link RowBytes}.
 */
public final class PackedRows {
  /** A page ends with the row that reaches it. */
  static final int PAGE = 64 << 10;

  private final RDD<byte[]> pages;
  private final RDD<InternalRow> rows;

  /**
   * @param types of the rows' columns
   */
  public PackedRows(RDD<InternalRow> rows, List<DataType> types) {
    pages = new Packed(rows, types.toArray(DataType[] ::new));
    pages.persist(StorageLevel.MEMORY_AND_DISK());
    this.rows = new Unpacked(pages, types.size());
  }

  /** The rows, which may be read several times; each is good until the next. */
  public RDD<InternalRow> rows() {
    return rows;
  }

  /** Lets go of them. */
  public void end() {
    pages.unpersist(false);
  }

  private static final class Packed extends RDD<byte[]> {
    private static final long serialVersionUID = 1L;

    private final DataType[] types;

    Packed(RDD<InternalRow> rows, DataType[] types) {
      super(rows, Scala.classTag(byte[].class));
      this.types = types;
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
      return CollectionConverters.asScala(
          new Pages(CollectionConverters.asJava(parent.iterator(split, context)), types, code));
    }
  }

  private static final class Unpacked extends RDD<InternalRow> {
    private static final long serialVersionUID = 1L;

    private final int columns;

    Unpacked(RDD<byte[]> pages, int columns) {
      super(pages, Scala.classTag(InternalRow.class));
      this.columns = columns;
    }

    @Override
    public Partition[] getPartitions() {
      return firstParent(Scala.classTag(byte[].class)).partitions();
    }

    @Override
    public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
      RDD<byte[]> parent = firstParent(Scala.classTag(byte[].class));
      return CollectionConverters.asScala(
          unpack(CollectionConverters.asJava(parent.iterator(split, context)), columns));
    }
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
