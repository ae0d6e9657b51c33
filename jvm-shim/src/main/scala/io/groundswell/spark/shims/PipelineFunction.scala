package io.groundswell.spark.shims

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, NamedArgumentExpression}
import org.apache.spark.sql.types.DataType

/**
 * A function of a pipeline: a temporary function of the session, which Spark then finds and checks.
 *
 * @param name as people know it
 * @param temporary what the session calls it
 * @param names of its parameters; null: Spark itself knows them
 * @param types of the same
 */
final class PipelineFunction(
    name: String, temporary: String, names: java.util.List[String],
    types: java.util.List[DataType]) {

  /** A call of it, with arguments of the types that it says. */
  def called(call: UnresolvedFunction): UnresolvedFunction = {
    val arguments =
      if (names == null) call.arguments
      else inOrder(call.arguments).zipWithIndex.map { case (a, i) => Cast(a, types.get(i)) }
    call.copy(nameParts = Seq(temporary), arguments = arguments)
  }

  /** Whether an expression is a call of it, as [[called]] makes them. */
  def isCall(expression: Expression): Boolean = expression match {
    case f: UnresolvedFunction => f.nameParts == Seq(temporary)
    case _ => false
  }

  /** A name of a column, with the function's name as people know it. */
  def shown(column: String): String = column.replace(temporary, name)

  private def inOrder(passed: Seq[Expression]): Seq[Expression] = {
    val (first, named) = passed.span(!_.isInstanceOf[NamedArgumentExpression])
    val places = named.map {
      case NamedArgumentExpression(key, value) =>
        val at = (0 until names.size).indexWhere(i => lower(names.get(i)) == lower(key))
        if (at < first.size) refuse(s"no parameter $key that is left")
        at -> value
      case _ => refuse("an argument without a name after one that has one")
    }.toMap
    if (first.size + places.size != names.size || places.size != named.size) {
      refuse(s"${passed.size} arguments")
    }
    first ++ (first.size until names.size).map(places)
  }

  private def refuse(what: String): Nothing = {
    val usage = (0 until names.size).map(i => s"${names.get(i)} ${types.get(i).sql.toLowerCase(Locale.ROOT)}")
    throw new IllegalArgumentException(
      s"a call of function $name has $what; it takes ${usage.mkString("(", ", ", ")")}")
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
