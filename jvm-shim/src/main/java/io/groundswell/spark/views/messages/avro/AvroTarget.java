package io.groundswell.spark.views.messages.avro;

import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.messages.spi.Decoder;
import io.groundswell.spark.views.messages.spi.Target;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.io.EOFException;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The part of a subject's schema that the columns need, and its values as columns. */
public final class AvroTarget implements Target {
  private static final GenericData PLAIN = new GenericData();

  private final String name;
  private final Schema schema;
  private final Value value;

  /**
   * @param spec what is read
   * @param reader the subject's schema
   * @throws Unreadable if the columns are not of it
   */
  public AvroTarget(MessageSpec spec, RegisteredSchema reader) {
    Schema whole = parsed(reader);
    StructType columns = (StructType) spec.columns();
    AvroColumns part = new AvroColumns(whole, spec.shape().equals("key"));
    this.name = "schema " + reader.id() + " of subject " + spec.subject();
    if (spec.shape().equals("envelope")) {
      StructType envelope = new StructType(new StructField[] {
          field("op", DataTypes.StringType), field("before", columns), field("after", columns)});
      this.schema = part.of(whole, envelope);
      this.value = AvroValues.of(schema, envelope, "");
    } else if (whole.getType() == Schema.Type.RECORD) {
      this.schema = part.of(whole, columns);
      this.value = AvroValues.of(schema, columns, "");
    } else if (spec.shape().equals("key") && columns.size() == 1) {
      StructField only = columns.apply(0);
      this.schema = whole;
      Value one = AvroValues.of(whole, only.dataType(), only.name());
      this.value = datum -> new GenericInternalRow(new Object[] {one.orNull(datum)});
    } else {
      throw new Unreadable("it is " + AvroColumns.shown(whole) + ", and no record with fields");
    }
  }

  private static StructField field(String name, org.apache.spark.sql.types.DataType type) {
    return DataTypes.createStructField(name, type, true);
  }

  /** The columns of a schema, as DDL; those that no column holds are left out. */
  public static String columns(RegisteredSchema schema) {
    return AvroNatural.columns(parsed(schema));
  }

  /**
   * A schema with those that it refers to.
   *
   * @throws Unreadable if it is none
   */
  static Schema parsed(RegisteredSchema schema) {
    if (!schema.type().equals("AVRO")) {
      throw new Unreadable("schema " + schema.id() + " is of type " + schema.type() + ", not AVRO");
    }
    try {
      Schema.Parser parser = new Schema.Parser();
      schema.texts().forEach(parser::parse);
      return parser.parse(schema.text());
    } catch (AvroRuntimeException e) {
      throw new Unreadable("Avro cannot read schema " + schema.id() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Decoder decoder(RegisteredSchema writer) {
    Schema wrote = parsed(writer);
    GenericDatumReader<Object> reader = new GenericDatumReader<>(wrote, schema, PLAIN);
    String which = "schema id " + writer.id() + " (" + AvroColumns.shown(wrote) + ")";
    return (message, at) -> {
      try {
        BoundedDecoder bytes = new BoundedDecoder(message, at);
        Object datum = reader.read(null, bytes);
        if (bytes.left() > 0) {
          throw new Unreadable(bytes.left() + " bytes are left behind the value");
        }
        return (InternalRow) value.of(datum);
      } catch (EOFException e) {
        throw new Unreadable("it ends too early for " + which);
      } catch (Unreadable e) {
        throw new Unreadable("by " + which + ", " + e.getMessage(), e);
      } catch (IOException | RuntimeException e) { // of damaged bytes Avro throws many kinds
        throw new Unreadable("by " + which + ", read as " + name + ", " + why(e), e);
      }
    };
  }

  private static String why(Exception e) {
    String said = e.getMessage();
    return said == null ? e.getClass().getSimpleName() : said.strip().replaceAll("\\s+", " ");
  }
}
