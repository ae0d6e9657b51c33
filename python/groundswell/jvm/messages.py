"""Messages whose schemas a registry has, as columns."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from groundswell.contract.codec import encode
from groundswell.contract.messages import MessageSpec
from groundswell.jvm.errors import engine_errors
from groundswell.jvm.process import entry


def decoded_messages(df: DataFrame, column: str, name: str, spec: MessageSpec) -> DataFrame:
    """The same frame with one more column: a message's ``row``, or what is ``wrong``.

    Args:
        df: has a binary column of messages.
        column: the name of that one.
        name: of the new column, a struct.
        spec: as which columns they are read.

    Raises:
        SourceError: the registry lacks the subject, or the subject the columns, or it refuses us.
            One that does not answer is asked again when the pipeline starts.
    """
    with engine_errors():
        made = entry(df.sparkSession).Messages.decoded(df._jdf, column, name, encode(spec))
    return DataFrame(made, df.sparkSession)


def columns_of(spark: SparkSession, spec: MessageSpec) -> str:
    """The columns of a subject, as DDL, without those that no type holds.

    Raises:
        SourceError: the registry does not answer, or lacks the subject.
    """
    with engine_errors():
        return str(entry(spark).Messages.columns(encode(spec)))
