"""Takes a stopped query's checkpoint over, from the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from groundswell.cli import session
from groundswell.errors import GroundswellError


def run(
    old: str, new: str, partitions: int | None, master: str | None, confs: Mapping[str, str]
) -> int:
    """Moves a checkpoint in a Spark session of its own (under spark-submit: in that one's).

    Args:
        old: checkpointLocation of the stopped query; only read.
        new: where to write; must be empty.
        partitions: the new number; None keeps it.
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.

    Returns:
        0; 1 if nothing was moved, and why on stderr.
    """
    from groundswell.migrate import run as migrate

    spark = session.start(master, confs)
    try:
        if partitions is None:
            done = migrate.import_checkpoint(spark, old, new, print)
        else:
            done = migrate.rescale(spark, old, new, partitions, print)
    except GroundswellError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    print(f"start the query with checkpointLocation {done.location}; {old} is as it was")
    return 0
