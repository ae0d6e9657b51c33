package io.groundswell.spark.shims

import java.util.Locale

import org.apache.spark.sql.{Dataset, Row}
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParameterHandler}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{DayTimeIntervalType, LongType}

/**
 * What becomes of a query's text before Spark analyses it: relations of a pipeline are put in the
 * place of their names, `TUMBLE` and `HOP` become windows, and functions of a pipeline become those
 * of the session that they are.
 */
object QueryText {

  /** Gives the plan behind a name, or null where the name is Spark's to resolve. */
  trait Relations {
    def find(name: java.util.List[String]): LogicalPlan
  }

  /** Gives the function behind a name, or null where the name is Spark's to resolve. */
  trait Functions {
    def find(name: java.util.List[String]): PipelineFunction
  }

  private def hasWindows(text: String): Boolean = {
    val lower = text.toLowerCase(Locale.ROOT)
    lower.contains("tumble") || lower.contains("hop")
  }

  /** The text of `parsePlan` or `parsePlanWithParameters`, with its parameters filled in. */
  def substituted(arguments: Array[AnyRef]): String = arguments match {
    // Spark looks for markers with its own grammar, which takes none of our statements; it does so
    // for every text with a colon, as in 'localhost:9092'.
    case Array(text: String, context: ParameterContext with Product) if isEmpty(context) => text
    case Array(text: String, context: ParameterContext) =>
      ParameterHandler.substituteParameters(text, context)._1
    case _ => arguments(0).asInstanceOf[String]
  }

  private def isEmpty(parameters: Product): Boolean = parameters.productIterator.forall {
    case given: Iterable[_] => given.isEmpty
    case _ => true
  }

  /**
   * A plan as it was parsed, with its windows, and with functions of a pipeline; null: none is to
   * be looked for. The text is looked at first, for most queries have neither.
   */
  def rewritten(plan: LogicalPlan, text: String, functions: Functions): LogicalPlan =
    if (functions != null || hasWindows(text)) new Rewrite(_ => null, functions).of(plan) else plan

  /** A query of a session, with relations and functions of a pipeline in it. */
  def query(
      session: SparkSession, text: String, relations: Relations,
      functions: Functions): Dataset[Row] =
    Catalyst.ofRows(
      session,
      new Rewrite(relations, functions).of(session.sessionState.sqlParser.parsePlan(text)))

  private class Rewrite(relations: Relations, functions: Functions) {
    private val called = scala.collection.mutable.Set.empty[PipelineFunction]

    def of(plan: LogicalPlan): LogicalPlan = go(plan, Set.empty)

    /** Names of common table expressions hide relations, each from where it stands on. */
    private def go(plan: LogicalPlan, hidden: Set[String]): LogicalPlan = plan match {
      case w: UnresolvedWith =>
        var seen = hidden
        val tables = w.cteRelations.map { case (name, table, depth) =>
          val own = if (w.allowRecursion) seen + lower(name) else seen
          val done = go(table, own).asInstanceOf[SubqueryAlias]
          seen += lower(name)
          (name, done, depth)
        }
        w.copy(child = go(w.child, seen), cteRelations = tables)
      case r: UnresolvedRelation => relation(r, hidden)
      case f: UnresolvedTableValuedFunction if window(f).isDefined =>
        windowed(f, window(f).get, hidden)
      case other =>
        other.mapChildren(go(_, hidden)).transformExpressionsUp {
          case e: PlanExpression[_] =>
            e.asInstanceOf[PlanExpression[LogicalPlan]] match {
              case s => s.withNewPlan(go(s.plan, hidden))
            }
          case f: UnresolvedFunction if functions != null =>
            val found = functions.find(java.util.List.of(f.nameParts: _*))
            if (found == null) f
            else {
              called += found
              found.called(f)
            }
          case u @ UnresolvedAlias(child, None) if called.nonEmpty =>
            val named = called.filter(f => child.exists(f.isCall)).toSeq
            if (named.isEmpty) u
            else UnresolvedAlias(child, Some(e => named.foldLeft(toPrettySQL(e))((t, f) => f.shown(t))))
        }
    }

    private def relation(r: UnresolvedRelation, hidden: Set[String]): LogicalPlan = {
      val name = r.multipartIdentifier
      if (name.size == 1 && hidden(lower(name.head))) return r
      val found = relations.find(java.util.List.of(name: _*))
      if (found == null) r else SubqueryAlias(name.last, found)
    }

    private def window(f: UnresolvedTableValuedFunction): Option[String] =
      Some(lower(f.name.last)).filter(n => f.name.size == 1 && (n == "tumble" || n == "hop"))

    private def windowed(
        f: UnresolvedTableValuedFunction, kind: String, hidden: Set[String]): LogicalPlan = {
      val usage =
        if (kind == "tumble") "TUMBLE(table, time column, INTERVAL size)"
        else "HOP(table, time column, INTERVAL slide, INTERVAL size)"
      def refuse(what: String) = throw new IllegalArgumentException(s"$what: write $usage")
      val rows = f.functionArgs.headOption match {
        case Some(a: UnresolvedAttribute) =>
          relation(
            UnresolvedRelation(a.nameParts, org.apache.spark.sql.util.CaseInsensitiveStringMap.empty, false),
            hidden)
        case Some(t: FunctionTableSubqueryArgumentExpression) => go(t.plan, hidden)
        case _ => refuse(s"the first argument of $kind is a table")
      }
      val sizes = f.functionArgs.drop(2).map {
        case l @ Literal(micros: Long, _: DayTimeIntervalType) if micros > 0 => Literal(micros, LongType)
        case other => refuse(s"$kind takes intervals of days, hours, minutes or seconds, not ${other.sql}")
      }
      val arguments = (kind, sizes) match {
        case ("tumble", Seq(size)) => Seq(f.functionArgs(1), size)
        case ("hop", Seq(slide, size)) => Seq(f.functionArgs(1), size, slide)
        case _ => refuse(s"$kind has ${f.functionArgs.size} arguments")
      }
      val call = UnresolvedFunction(Seq("window"), arguments, isDistinct = false)
      def part(name: String) =
        Alias(UnresolvedExtractValue(call, Literal(name)), s"window_$name")()
      Project(Seq(UnresolvedStar(None), part("start"), part("end")), rows)
    }

    private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
  }
}
