/**
 * Rows of sinks into databases by JDBC, for Python: a connection, and batches of statements over
 * Arrow's rows. Knows neither Spark nor the engine.
 */
package io.groundswell.jdbc;
