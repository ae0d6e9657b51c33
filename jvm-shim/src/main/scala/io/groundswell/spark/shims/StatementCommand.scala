package io.groundswell.spark.shims

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StructType

/** What a statement does, and the rows that it gives. */
trait StatementBody {
  def run(session: SparkSession): java.util.List[Row]
}

/**
 * A statement that Spark's parser does not know, as a plan that runs. It shows its label only:
 * its text may hold passwords.
 *
 * This is Scala because javac cannot compile a subclass of LogicalPlan.
 */
case class StatementCommand(label: String, override val output: Seq[Attribute], body: StatementBody)
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = body.run(session).asScala.toSeq
  override def simpleString(maxFields: Int): String = label
  override protected def stringArgs: Iterator[Any] = Iterator(label)
}

object StatementCommand {
  def of(label: String, schema: StructType, body: StatementBody): StatementCommand =
    StatementCommand(
      label,
      schema.fields.toSeq.map(f => AttributeReference(f.name, f.dataType, f.nullable)()),
      body)
}
