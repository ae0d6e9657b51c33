package io.groundswell.spark.views.messages;

import io.groundswell.spark.shims.DecodedMessage;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.util.SerializableConfiguration;

/** The folder where a pipeline keeps the schemas of its messages. For one thread. */
public final class SchemaFolder {
  private final SparkSession session;
  private final String folder;
  private final Map<RegistryFormat, RegistryFormat> located = new HashMap<>();
  private Broadcast<SerializableConfiguration> conf;

  public SchemaFolder(SparkSession session, String folder) {
    this.session = session;
    this.folder = folder;
  }

  /** The same plan, whose messages are read by schemas of the folder. */
  public SparkPlan apply(SparkPlan plan) {
    return reads(plan)
        ? plan.transformUp(Scala.rule(node -> node.transformExpressions(Scala.rule(this::located))))
        : plan;
  }

  private static boolean reads(SparkPlan plan) {
    return Scala.list(plan.expressions())
               .stream()
               .anyMatch(
                   each -> each.exists(Scala.function(part -> part instanceof DecodedMessage)))
        || Scala.list(plan.children()).stream().anyMatch(SchemaFolder::reads);
  }

  private Expression located(Expression part) {
    return part instanceof DecodedMessage message && message.format() instanceof RegistryFormat how
        ? new DecodedMessage(message.child(), located.computeIfAbsent(how, this::located))
        : part;
  }

  /** By the schema that was found at this start, else at the last one that could ask for it. */
  private RegistryFormat located(RegistryFormat format) {
    if (conf == null) {
      conf = SerializableConfiguration.broadcast(
          session.sparkContext(), session.sessionState().newHadoopConf());
    }
    RegistryFormat kept = new RegistryFormat(format.spec(), format.reader(), folder, conf);
    Schemas schemas = kept.schemas();
    RegisteredSchema reader = format.reader();
    if (reader == null) {
      reader = schemas.keptReader(format.spec());
    }
    if (reader == null) {
      reader = RegistryReader.of(format.spec());
    }
    schemas.keepReader(format.spec(), reader);
    return new RegistryFormat(format.spec(), reader, folder, conf);
  }
}
