// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * Several queries, captured in one go: what they share has one id.
 *
 * @param roots numbers of their top nodes
 * @param nodes all nodes, each before those below it
 * @param pinned settings of the session that expressions were analysed under
 * @param refusals what cannot be incremental
 * @param sources what the queries read
 * @param decoding how each {@code from_json} is computed, for people
 */
public record PlanDescription(List<Integer> roots, List<NodeDescription> nodes,
    Map<String, Object> pinned, List<Refusal> refusals, List<SourceDescription> sources,
    List<String> decoding) implements Serializable {
  private static final long serialVersionUID = 1L;

  public PlanDescription {
    roots = Checks.list(roots, "roots");
    nodes = Checks.list(nodes, "nodes");
    pinned = Checks.map(pinned, "pinned");
    refusals = Checks.list(refusals, "refusals");
    sources = Checks.list(sources, "sources");
    decoding = Checks.list(decoding, "decoding");
  }
}
