package example;

import org.apache.spark.sql.api.java.UDF1;

/** A function of a user's jar. */
public final class PlusOne implements UDF1<Long, Long> {
  private static final long serialVersionUID = 1L;

  @Override
  public Long call(Long value) {
    return value == null ? null : value + 1;
  }
}
