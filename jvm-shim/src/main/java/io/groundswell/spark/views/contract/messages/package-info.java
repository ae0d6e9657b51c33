/**
 * What decoders of messages with schemas are told. {@code tools/contract.py} writes the records.
 */
package io.groundswell.spark.views.contract.messages;
