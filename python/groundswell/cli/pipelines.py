"""Projects of Spark Declarative Pipelines from the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from groundswell.cli import session
from groundswell.errors import ConfigurationError, GroundswellError


def run(
    spec: str | None,
    confs: Mapping[str, str],
    *,
    master: str | None = None,
    dry: bool = False,
    anew: bool = False,
    refresh: Sequence[str] = (),
    full_refresh: Sequence[str] = (),
) -> int:
    """Brings a project's datasets up to date once.

    Args:
        spec: the path of its spec; None: the next one above the current folder.
        confs: Spark confs beside those of the spec.
        master: Spark's master.
        dry: whether to look at the definitions alone.
        anew: whether to compute everything anew.
        refresh: datasets that alone are to be brought up to date, which is refused.
        full_refresh: datasets that alone are to be recomputed, which is refused.

    Returns:
        0; 1 if a definition or the run failed, and why on stderr.
    """
    from groundswell.pipelines import running
    from groundswell.pipelines.spec import find_spec, load_spec

    try:
        if anew and (refresh or full_refresh):
            raise ConfigurationError("--full-refresh-all goes without a list of datasets")
        running.check_options(refresh, full_refresh)
        project = load_spec(find_spec(spec))
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    spark = session.start(master, {**project.configuration, **confs})
    try:
        running.run(spark, project, _line, dry=dry, anew=anew)
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        session.stop(spark)
    return 0


def names(text: str) -> list[str]:
    """``a, b`` -> the names."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _line(text: str) -> None:
    print(text, flush=True)
