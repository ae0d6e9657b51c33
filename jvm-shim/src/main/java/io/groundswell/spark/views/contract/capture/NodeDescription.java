// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.Serializable;
import java.util.List;

/**
 * A node of an optimised plan.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = PlaceholderNode.class, name = "placeholder")
  , @JsonSubTypes.Type(value = ProjectNode.class, name = "project"),
      @JsonSubTypes.Type(value = FilterNode.class, name = "filter"),
      @JsonSubTypes.Type(value = ExpectNode.class, name = "expect"),
      @JsonSubTypes.Type(value = EvaluateNode.class, name = "evaluate"),
      @JsonSubTypes.Type(value = JoinNode.class, name = "join"),
      @JsonSubTypes.Type(value = GenerateNode.class, name = "generate"),
      @JsonSubTypes.Type(value = ConstantNode.class, name = "constant"),
      @JsonSubTypes.Type(value = ExpandNode.class, name = "expand"),
      @JsonSubTypes.Type(value = UnionNode.class, name = "union"),
      @JsonSubTypes.Type(value = OtherNode.class, name = "other"),
      @JsonSubTypes.Type(value = AggregateNode.class, name = "aggregate"),
      @JsonSubTypes.Type(value = WindowNode.class, name = "window"),
      @JsonSubTypes.Type(value = WindowGroupLimitNode.class, name = "window_group_limit"),
      @JsonSubTypes.Type(value = SortNode.class, name = "sort"),
      @JsonSubTypes.Type(value = LimitNode.class, name = "limit"),
      @JsonSubTypes.Type(value = LocalLimitNode.class, name = "local_limit"),
      @JsonSubTypes.Type(value = OffsetNode.class, name = "offset")
})
public sealed interface NodeDescription
    extends Serializable permits PlaceholderNode, ProjectNode, FilterNode, ExpectNode, EvaluateNode,
            JoinNode, GenerateNode, ConstantNode, ExpandNode, UnionNode, OtherNode, AggregateNode,
            WindowNode, WindowGroupLimitNode, SortNode, LimitNode, LocalLimitNode, OffsetNode {
  /** Its name among the documents of this base. */
  String kind();

  /** Its number. */
  int id();

  /** The columns that it gives. */
  List<ColumnDescription> output();

  /** Numbers of the nodes below it. */
  List<Integer> children();

  /** It in one line, for people. */
  String text();
}
