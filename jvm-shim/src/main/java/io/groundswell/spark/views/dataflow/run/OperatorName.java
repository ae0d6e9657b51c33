package io.groundswell.spark.views.dataflow.run;

import java.io.Serializable;

/**
 * An operator as messages call it.
 *
 * @param label number, kind and text
 * @param place the views and sources it is between
 * @param text what it computes
 */
public record OperatorName(String label, String place, String text) implements Serializable {}
