package io.groundswell

import io.groundswell.spark.sql.SqlExtensions

/**
 * For `spark.sql.extensions`: lets transformWithState run on our state store, and SQL speak of
 * pipelines.
 */
final class GroundswellExtensions extends SqlExtensions
