package io.groundswell

import io.groundswell.spark.shims.SessionExtensions

/** For `spark.sql.extensions`: lets transformWithState run on our state store. */
final class GroundswellExtensions extends SessionExtensions
