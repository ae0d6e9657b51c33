package io.groundswell.engine;

import java.util.Map;

/** CONTRACT STUB: counters of one store since it was opened, by name, in a stable order. */
public record StoreMetrics(Map<String, Long> counters) {}
