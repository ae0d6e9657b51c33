package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** Spark's {@code from_json}, computed by {@link JsonDecoder}, and in generated code. */
public final class FromJson extends Expression implements Serializable {
  private static final long serialVersionUID = 1L;

  private final JsonToStructs spark;
  private final Uses uses;
  private final PushedFilters filters;
  private transient JsonDecoder decoder;

  /**
   * @param uses what is read of the result; the rest of it may be null
   * @param filters over the fields of the result
   */
  FromJson(JsonToStructs spark, Uses uses, PushedFilters filters) {
    this.spark = spark;
    this.uses = uses;
    this.filters = filters;
  }

  /** A decoder for one task. */
  public JsonDecoder open() {
    return new JsonDecoder((JsonToStructs) spark.clone(), uses, filters);
  }

  @Override
  public Seq<Expression> children() {
    return Scala.seq(List.of(spark.child()));
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
    return new FromJson((JsonToStructs) spark.withNewChildren(children), uses, filters);
  }

  @Override
  public DataType dataType() {
    return spark.dataType();
  }

  @Override
  public boolean nullable() {
    return true;
  }

  @Override
  public boolean stateful() {
    return true;
  }

  @Override
  public Object eval(InternalRow row) {
    Object text = spark.child().eval(row);
    if (text == null) {
      return null;
    }
    if (decoder == null) {
      decoder = open();
    }
    return decoder.decode((UTF8String) text);
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    String call = context.addReferenceObj("fromJson", this, FromJson.class.getName());
    String decoder = context.addMutableState(JsonDecoder.class.getName(), "decoder",
        Scala.mapping(name -> name + " = " + call + ".open();"), false, true);
    ExprCode text = spark.child().genCode(context);
    String row = InternalRow.class.getName();
    String decode =
        String.format("%n%s %s = %s ? null : %s.decode(%s);%nboolean %s = %s == null;%n", row,
            code.value(), text.isNull(), decoder, text.value(), code.isNull(), code.value());
    return code.copy(text.code().$plus(new CodeBlock(Scala.seq(List.of(decode)), Catalyst.nil())),
        code.isNull(), code.value());
  }

  @Override
  public String prettyName() {
    return "from_json";
  }

  @Override
  public String sql() {
    return spark.sql();
  }

  @Override
  public String toString() {
    return "decoded_" + spark;
  }

  @Override
  public int productArity() {
    return 3;
  }

  @Override
  public Object productElement(int index) {
    return index == 0 ? spark : index == 1 ? uses : filters;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof FromJson;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FromJson call && call.spark.equals(spark) && call.uses.equals(uses)
        && call.filters.equals(filters);
  }

  @Override
  public int hashCode() {
    return Objects.hash(spark, uses, filters);
  }
}
