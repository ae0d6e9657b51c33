package io.groundswell.spark.sql

import io.groundswell.spark.shims.SessionExtensions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.classic.SparkSession

/** What a session is extended with, and a parser that takes statements on pipelines. */
class SqlExtensions extends SessionExtensions {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    super.apply(extensions)
    extensions.injectParser((session, parser) =>
      StatementParser.before(session.asInstanceOf[SparkSession], parser))
  }
}
