/**
 * The documents of the dataflow that Python plans: {@code DataflowSpec}, and a record for each
 * operator in it. {@code tools/contract.py} writes all of them.
 *
 * <p>Operators are records of the sealed interface {@code OperatorSpec}. The interfaces between say
 * what several of them have: {@code StatefulSpec} a state, {@code KeyedSpec} a key, and so on. What
 * they name is in {@code part}.
 */
package io.groundswell.spark.views.contract.dataflow;
