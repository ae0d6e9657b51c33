"""Runs dbt's commands in one process, so that they share a session: a line of JSON each.

Runs with the Python of dbt's environment, which has no pytest.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from dbt.cli.main import dbtRunner


def main() -> None:
    for line in sys.stdin:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            done = dbtRunner().invoke(json.loads(line))
        print(json.dumps({"green": done.success, "said": said.getvalue()}), flush=True)


if __name__ == "__main__":
    main()
