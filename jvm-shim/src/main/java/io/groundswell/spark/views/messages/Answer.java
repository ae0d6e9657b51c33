package io.groundswell.spark.views.messages;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/**
 * What a registry says of a schema, or why it has none.
 *
 * @param id of the schema; 0 where it was asked for by its id
 * @param schema its text; null: there is none
 * @param schemaType {@code AVRO} where the registry does not say
 * @param references to other schemas
 * @param errorCode of the registry; 0: it gives none
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Answer(int id, String schema, String schemaType, List<Reference> references,
    @JsonProperty("error_code") int errorCode) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A schema that another one names.
   *
   * @param name by which it is named
   * @param subject that has it
   * @param version of the subject
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Reference(String name, String subject, int version) {}

  Answer {
    schemaType = schemaType == null ? "AVRO" : schemaType;
    references = references == null ? List.of() : List.copyOf(references);
  }

  static Answer read(String body) throws JsonProcessingException {
    return JSON.readValue(body, Answer.class);
  }
}
