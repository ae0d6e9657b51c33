package io.groundswell.spark.store.encoding;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Stored value rows as rows of the schema that their family has now. Not thread-safe. */
public interface RowReader {
  /** The number of the schema that rows are written with now, from 0 to 32767. */
  int schemaId();

  /** The row in these bytes, which were written with the schema of that number. */
  UnsafeRow read(byte[] bytes, int offset, int length, int schemaId);

  /** For families whose schema stays: the bytes are the row. */
  static RowReader plain(int fields) {
    return new RowReader() {
      @Override
      public int schemaId() {
        return 0;
      }

      @Override
      public UnsafeRow read(byte[] bytes, int offset, int length, int schemaId) {
        return RowBytes.row(bytes, offset, length, fields);
      }
    };
  }

  /** For families whose schema may change, where nobody said what its number is now. */
  static RowReader readOnly(String family, int fields) {
    return new RowReader() {
      @Override
      public int schemaId() {
        throw new IllegalStateException("Spark gave no schemas of " + family
            + ", so rows of encodingFormat = avro cannot be written to it");
      }

      @Override
      public UnsafeRow read(byte[] bytes, int offset, int length, int schemaId) {
        return RowBytes.row(bytes, offset, length, fields);
      }
    };
  }
}
