package io.groundswell;

import io.groundswell.spark.store.provider.ServicesPlugin;

/**
 * For {@code spark.plugins}, the one conf that is needed: sizes what the stores of a JVM share and
 * closes it at the end; makes our provider, checkpoint file manager and extensions the default.
 */
public final class GroundswellPlugin extends ServicesPlugin {}
