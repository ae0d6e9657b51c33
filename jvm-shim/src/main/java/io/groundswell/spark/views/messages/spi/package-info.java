/** What decoders of Avro and Protobuf have in common. */
package io.groundswell.spark.views.messages.spi;
