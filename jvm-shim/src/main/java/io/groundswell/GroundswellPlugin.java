package io.groundswell;

import io.groundswell.spark.store.provider.ServicesPlugin;

/** For {@code spark.plugins}: sizes what the stores of a JVM share, and closes it at the end. */
public final class GroundswellPlugin extends ServicesPlugin {}
