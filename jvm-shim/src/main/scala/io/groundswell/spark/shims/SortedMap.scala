package io.groundswell.spark.shims

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, MapSort, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenFallback}
import org.apache.spark.sql.types.{DataType, MapType}

/**
 * A map with its entries in the order of their keys, as [[MapSort]] says it without generated code.
 * In generated code of Spark 4.3.0 that makes numbers of nulls among the values.
 *
 * @param child the map
 */
case class SortedMap(child: Expression) extends UnaryExpression with CodegenFallback {
  @transient private lazy val sorted = MapSort(child)

  override def checkInputDataTypes(): TypeCheckResult = sorted.checkInputDataTypes()
  override def dataType: DataType = child.dataType
  override def prettyName: String = "sorted_map"
  override def eval(row: InternalRow): Any = sorted.eval(row)

  override protected def withNewChildInternal(map: Expression): SortedMap = copy(child = map)
}

object SortedMap {

  /** The same order of entries, and every null as it is. */
  def of(sort: MapSort): Expression = sort.dataType match {
    case MapType(_, value, true) if CodeGenerator.isPrimitiveType(value) => SortedMap(sort.base)
    case _ => sort
  }
}
