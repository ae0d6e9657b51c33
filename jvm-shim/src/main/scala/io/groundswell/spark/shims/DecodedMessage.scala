package io.groundswell.spark.shims

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BinaryType, DataType}

/**
 * The row that a message's bytes stand for; null for no bytes.
 *
 * @param child the bytes
 * @param format how they are read
 */
case class DecodedMessage(child: Expression, format: MessageFormat) extends UnaryExpression {
  @transient private lazy val reader = format.open()

  override def checkInputDataTypes(): TypeCheckResult =
    if (child.dataType == BinaryType) TypeCheckResult.TypeCheckSuccess
    else TypeCheckResult.TypeCheckFailure(s"a message is binary, not ${child.dataType.sql}")
  override def dataType: DataType = format.dataType
  override def foldable: Boolean = false
  override def nullable: Boolean = true
  override def stateful: Boolean = true
  override def prettyName: String = "decode_message"

  override def eval(row: InternalRow): Any = {
    val bytes = child.eval(row)
    if (bytes == null) null else reader.read(bytes.asInstanceOf[Array[Byte]])
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val how = context.addReferenceObj("format", format, classOf[MessageFormat].getName)
    val kind = classOf[MessageFormat].getName + ".Reader"
    val reader = context.addMutableState(kind, "reader", name => s"$name = $how.open();")
    val bytes = child.genCode(context)
    code.copy(code = code"""
      |${bytes.code}
      |InternalRow ${code.value} = ${bytes.isNull} ? null : $reader.read(${bytes.value});
      |boolean ${code.isNull} = ${code.value} == null;
      |""".stripMargin)
  }

  override protected def withNewChildInternal(bytes: Expression): DecodedMessage =
    copy(child = bytes)
}
