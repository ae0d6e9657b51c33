package io.groundswell.spark.views.capture.describe;

import org.apache.spark.sql.catalyst.expressions.CurrentRow$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.RowFrame$;
import org.apache.spark.sql.catalyst.expressions.SizeBasedWindowFunction;
import org.apache.spark.sql.catalyst.expressions.SpecialFrameBoundary;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;

/** How far behind its row a window function looks. */
final class FrameEnd {
  private FrameEnd() {}

  /**
   * In the unit of the order, microseconds where that is a timestamp; 0 if no row behind its own,
   * and those that tie with it, matters; null if any may, or it is no window function.
   */
  static Long of(Expression value) {
    if (!(value instanceof WindowExpression window)
        || !(window.windowSpec().frameSpecification() instanceof SpecifiedWindowFrame frame)
        || window.windowFunction() instanceof SizeBasedWindowFunction) {
      return null;
    }
    if (frame.upper() instanceof SpecialFrameBoundary) {
      return frame.upper() == CurrentRow$.MODULE$ ? 0L : null;
    }
    if (frame.frameType() == RowFrame$.MODULE$) {
      boolean back = frame.upper().foldable() && frame.upper().eval(null) instanceof Number rows
          && rows.longValue() <= 0;
      return back ? 0L : null;
    }
    Long micros = TimeDistance.micros(frame.upper());
    long slack = micros != null && TimeDistance.hasDays(frame.upper()) ? TimeDistance.DAY : 0;
    return micros == null ? null : Long.valueOf(Math.max(0, micros + slack));
  }
}
