package io.groundswell.spark.views.operator.spi;

import java.io.Serializable;

/**
 * How the rows of one table of an operator's state come to the partitions of a state that has
 * another number of them. An operator names one for each table whose rows do not stand where their
 * hash says, see {@link RowOperator#move}.
 */
@FunctionalInterface
public interface TableMove extends Serializable {
  /** Rows stand where their hash says: most tables. */
  TableMove BY_HASH = PartitionMove::byHash;

  /** Rows stood in any partition, and are to stand where their hash says. */
  TableMove TO_HASH = PartitionMove::toHash;

  /** The partition stays as it is. */
  TableMove COPY = PartitionMove::copy;

  /** The move of another table writes it. */
  TableMove NONE = (move, table) -> {};

  /** Writes what the new partition gets of the table. */
  void move(PartitionMove move, String table);
}
