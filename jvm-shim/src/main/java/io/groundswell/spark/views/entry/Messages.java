package io.groundswell.spark.views.entry;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.DecodedMessage;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.RegistryFormat;
import io.groundswell.spark.views.messages.RegistryReader;
import io.groundswell.spark.views.messages.UnansweredException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages whose schemas a registry has. */
public final class Messages {
  private static final Logger LOG = LoggerFactory.getLogger(Messages.class);

  private Messages() {}

  /**
   * A frame with one more column: the rows of the messages in a binary one.
   *
   * @param column of the messages
   * @param name of the column that is added
   * @param text a {@link MessageSpec}
   */
  public static Dataset<Row> decoded(Dataset<Row> frame, String column, String name, String text) {
    MessageSpec spec = Documents.read(text, MessageSpec.class);
    RegisteredSchema reader = null;
    try {
      reader = RegistryReader.of(spec);
    } catch (UnansweredException e) {
      LOG.warn("the schemas are those that the pipeline has kept, for {}", e.what());
    }
    LogicalPlan plan = Catalyst.analyzed(frame);
    List<NamedExpression> list = new ArrayList<>();
    for (Attribute each : Scala.list(plan.output())) {
      list.add(each);
      if (each.name().equals(column)) {
        RegistryFormat format = new RegistryFormat(spec, reader, null, null);
        list.add(Catalyst.alias(new DecodedMessage(each, format), name));
      }
    }
    return Catalyst.ofRows(Catalyst.session(frame), Catalyst.project(list, plan));
  }

  /** The columns of a subject, as DDL. */
  public static String columns(String text) {
    return RegistryReader.columns(Documents.read(text, MessageSpec.class));
  }
}
