package io.groundswell.spark.shims

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types.{BooleanType, DataType}

/** What a row has not met. */
final class ExpectationFailed(message: String) extends RuntimeException(message)

/**
 * An expectation of the rows of a view: true, or an error for a row whose condition is false. Null
 * meets it, as it meets SQL's CHECK.
 *
 * @param child the condition
 * @param owner the view
 * @param name of the constraint
 * @param text the condition as it was written
 */
case class Expected(child: Expression, owner: String, name: String, text: String)
    extends UnaryExpression {

  override def checkInputDataTypes(): TypeCheckResult =
    if (child.dataType == BooleanType) TypeCheckResult.TypeCheckSuccess
    else TypeCheckResult.TypeCheckFailure(s"it is ${child.dataType.sql}, and not true or false")
  override def dataType: DataType = BooleanType
  override def foldable: Boolean = false
  override def nullable: Boolean = false
  override def prettyName: String = "expect"
  override def sql: String = s"CONSTRAINT $name EXPECT (${child.sql})"

  private def told = s"the row does not meet constraint $name of $owner: EXPECT ($text)"

  override def eval(row: InternalRow): Any = {
    if (child.eval(row) == false) throw new ExpectationFailed(told)
    true
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val condition = child.genCode(context)
    val message = context.addReferenceObj("told", told, "String")
    ExprCode(
      code"""
        |${condition.code}
        |if (!${condition.isNull} && !${condition.value}) {
        |  throw new io.groundswell.spark.shims.ExpectationFailed($message);
        |}
        |""".stripMargin,
      FalseLiteral,
      JavaCode.literal("true", BooleanType))
  }

  override protected def withNewChildInternal(condition: Expression): Expected =
    copy(child = condition)
}

/**
 * The rows of a query, with what they are expected to meet. A node of its own: Spark's optimiser
 * would move a filter away from the rows of the view, or drop it.
 *
 * @param action what becomes of a row that does not meet it; see groundswell.plan.divert
 */
case class ExpectRows(expected: Expression, action: String, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(rows: LogicalPlan): ExpectRows = copy(child = rows)
}
