package io.groundswell.spark.shims

import io.groundswell.key.{InternalKey, KeyTooLongException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * True, or an error for a row whose columns are, as the row of a key, longer than a key may be.
 *
 * @param children the columns, or expressions
 * @param text how a query says that they are a key
 * @param most bytes that they may have
 * @param ordered whether they are written to sort
 */
case class ShortKey(
    override val children: Seq[Expression], text: String, most: Long, ordered: Boolean)
    extends Expression {
  override def dataType: DataType = BooleanType
  override def foldable: Boolean = false
  override def nullable: Boolean = false
  override def prettyName: String = "short_key"

  private val fixed = ShortKey.fixedBytes(children.map(_.dataType))

  override def eval(row: InternalRow): Any = {
    val bytes = children.map(each => ShortKey.bytes(each.eval(row), each.dataType, ordered))
    ShortKey.check(fixed + bytes.sum, text, most)
    true
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val length = context.freshName("length")
    val told = context.addReferenceObj("text", text, "String")
    val added = children.filterNot(each => ShortKey.isFixed(each.dataType)).map { each =>
      val value = each.genCode(context)
      val of = context.addReferenceObj("type", each.dataType, classOf[DataType].getName)
      code"""
        |${value.code}
        |if (!${value.isNull}) {
        |  $length += io.groundswell.spark.shims.ShortKey.bytes(${value.value}, $of, $ordered);
        |}
        |""".stripMargin
    }
    val sum = added.foldLeft[Block](code"long $length = ${fixed}L;")(_ + _)
    ExprCode(
      code"""
        |$sum
        |io.groundswell.spark.shims.ShortKey.check($length, $told, ${most}L);
        |""".stripMargin,
      FalseLiteral,
      JavaCode.literal("true", BooleanType))
  }

  override protected def withNewChildrenInternal(columns: IndexedSeq[Expression]): ShortKey =
    copy(children = columns)
}

object ShortKey {
  private val Word = 8
  private val Wide = 16

  /** Refuses a key of so many bytes. */
  def check(bytes: Long, text: String, most: Long): Unit =
    if (bytes > most) throw KeyTooLongException.of(text, bytes, most)

  /** Whether all values of a type take the same room in a row. */
  def isFixed(kind: DataType): Boolean = kind match {
    case _: StringType | _: BinaryType | _: ArrayType | _: MapType | _: StructType => false
    case _ => true
  }

  /** What every row of these types takes. */
  def fixedBytes(types: Seq[DataType]): Long =
    UnsafeRow.calculateBitSetWidthInBytes(types.size) + types.map(wide).sum + Word * types.size

  private def wide(kind: DataType): Int = kind match {
    case decimal: DecimalType if decimal.precision > Decimal.MAX_LONG_DIGITS => Wide
    case CalendarIntervalType => Wide
    case _ => 0
  }

  /** What a value takes at most beside that, in a row or written to sort. */
  def bytes(value: Any, kind: DataType, ordered: Boolean): Long =
    if (!ordered) bytes(value, kind)
    else {
      value match {
        case text: UTF8String => bytes(text, kind) + zeros(text.getBytes)
        case data: Array[Byte] => bytes(data, kind) + zeros(data)
        case _ => 2 * bytes(value, kind) // what stands before an element is as long as the smallest
      }
    }

  /** Bytes that are written twice. */
  private def zeros(data: Array[Byte]): Long = data.count(_ == 0)

  private def bytes(value: Any, kind: DataType): Long = value match {
    case text: UTF8String => words(text.numBytes)
    case bytes: Array[Byte] => words(bytes.length)
    case row: UnsafeRow => words(row.getSizeInBytes)
    case array: UnsafeArrayData => words(array.getSizeInBytes)
    case nested @ (_: InternalRow | _: ArrayData) =>
      val row = UnsafeProjection.create(Array(kind)).apply(new GenericInternalRow(Array[Any](nested)))
      row.getSizeInBytes - fixedBytes(Seq(kind))
    case _ => 0
  }

  private def words(length: Int): Long = (length.toLong + Word - 1) / Word * Word
}
