package io.groundswell

import io.groundswell.spark.SessionExtensions

/** For `spark.sql.extensions`: lets transformWithState run on our state store. */
final class GroundswellExtensions extends SessionExtensions
