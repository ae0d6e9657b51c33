package io.groundswell.spark.sql

import io.groundswell.spark.shims.SessionExtensions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.classic.SparkSession

/**
 * What a session is extended with, a parser that takes statements on pipelines, and the rule that
 * answers queries from views.
 */
class SqlExtensions extends SessionExtensions {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    super.apply(extensions)
    extensions.injectParser((session, parser) =>
      StatementParser.before(session.asInstanceOf[SparkSession], parser))
    extensions.injectPreCBORule(session => new UseViews(session.asInstanceOf[SparkSession]))
  }
}
