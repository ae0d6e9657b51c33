package io.groundswell.spark.views.dataflow.run;

import io.groundswell.error.Place;
import java.io.Serializable;

/**
 * An operator as messages call it.
 *
 * @param label number, kind and text
 * @param place the views and sources it is between
 * @param text what it computes
 */
public record OperatorName(String label, Place place, String text) implements Serializable {}
