/**
 * The description of a captured plan: what each node and expression is called outside of the JVM.
 *
 * <p>Roles: {@code PlanDescriber}, {@code ExpressionDescriber} and {@code HiddenArguments} (the
 * description, with what SQL text leaves out), {@code Constants} (what reads no stream), {@code
 * TimeColumns}, {@code FrameEnd} and {@code TimeDistance} (what carries watermarks on, how far
 * ahead window functions look, how far apart joined rows may be), {@code MarkedQueries} (what
 * stands below a watermark), {@code CapturedPlan} (ids → nodes, expressions, attributes).
 *
 * <p>Invariant: an id means one thing for the life of its {@code CapturedPlan}, and attribute ids
 * are Catalyst's own, so a plan made of captured expressions binds without a look-up of ours.
 */
package io.groundswell.spark.views.capture.describe;
