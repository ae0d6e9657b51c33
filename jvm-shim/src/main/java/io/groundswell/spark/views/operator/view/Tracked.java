package io.groundswell.spark.views.operator.view;

import java.util.List;

/**
 * How the changes of a view come that is written unread: netted, straight from an operator that
 * keeps its own results.
 *
 * @param group refs of the columns that they come grouped by, if groups have several rows that
 *     nobody asks for by key; else none
 */
public record Tracked(List<String> group) {}
