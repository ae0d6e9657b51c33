package io.groundswell.spark.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import org.apache.spark.sql.types.DataType;

/** Reads and writes documents as JSON. */
public final class Documents {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .addModule(new SimpleModule()
                  .addSerializer(DataType.class, new TypeWriter())
                  .addDeserializer(DataType.class, new TypeReader()))
          .build();

  private static final ObjectMapper SHORT =
      MAPPER.copy().setDefaultPropertyInclusion(JsonInclude.Include.NON_EMPTY);

  private Documents() {}

  /**
   * @throws EngineException {@code INVALID_ARGUMENT} if the text is no document of that class
   */
  public static <T> T read(String text, Class<T> document) {
    try {
      return MAPPER.readValue(text, document);
    } catch (JsonProcessingException e) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "not a " + document.getSimpleName() + ": " + e.getOriginalMessage()
              + ". The Python package and the jar are of two builds: pass this package's jar, "
              + "--jars $(python -m groundswell jar)",
          e);
    }
  }

  public static String write(Object document) {
    try {
      return MAPPER.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot write " + document, e);
    }
  }

  /** A document for people: without what it does not have. */
  public static String show(Object document) {
    try {
      return SHORT.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot write " + document, e);
    }
  }

  /**
   * A document read and written again: the test of both sides.
   *
   * @param name of its class, below {@code io.groundswell.spark}
   */
  public static String again(String name, String text) throws ClassNotFoundException {
    Class<?> document = Class.forName("io.groundswell.spark." + name);
    return write(read(text, document));
  }

  /** Spark's types stand in documents as Spark's own JSON. */
  private static final class TypeWriter extends JsonSerializer<DataType> {
    @Override
    public void serialize(DataType type, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeRawValue(type.json());
    }
  }

  private static final class TypeReader extends JsonDeserializer<DataType> {
    @Override
    public DataType deserialize(JsonParser in, DeserializationContext context) throws IOException {
      return DataType.fromJson(in.readValueAsTree().toString());
    }
  }
}
