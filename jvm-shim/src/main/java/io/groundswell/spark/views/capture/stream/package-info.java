/**
 * Streams in a plan, and what stands for them while Spark analyses and optimises the query.
 *
 * <p>Roles: {@code StreamingLeaves} (which leaves read streams, and from where), {@code
 * PlaceholderRdd} (the empty relation in the place of one), {@code PlaceholderLeaf} (finds it again
 * in a plan),
 * {@code EventTime} (what {@code withWatermark} says of a source).
 *
 * <p>Invariant: a source is known by its {@code PlaceholderRdd} object, whatever attribute ids its
 * reads were given.
 */
package io.groundswell.spark.views.capture.stream;
