"""Makes the file that JVMs start from, and says how others use it."""

import shlex
import sys

from groundswell import archive, jar
from groundswell.archiving import ArchiveError, make
from groundswell.java import HOME_KEY, find_java, variables

NOTHING = "there is no Java or no Spark here: `python -m groundswell doctor`"


def run(export: bool) -> int:
    """Makes the file for this Java, this Spark and this jar, unless it is there.

    Args:
        export: print variables for a shell, in the place of the file's name.

    Returns:
        0; 1 if the JVM wrote no file, and why on stderr.
    """
    setup = archive.setup(jar.PATH if jar.PATH.is_file() else None)
    try:
        if setup is None:
            raise ArchiveError(NOTHING)
        file = make(setup)
    except ArchiveError as e:
        print(f"error: {e}", file=sys.stderr)
        return 1
    if not export:
        print(file)
        return 0
    for key, value in (setup.reading() or setup.of_java()).items():
        print(f"export {key}={shlex.quote(value)}")
    return 0


def print_java() -> int:
    """Prints the home of the Java that Spark is started with."""
    java = find_java()
    if java is None:
        print("error: there is no Java: `python -m groundswell doctor`", file=sys.stderr)
        return 1
    home = variables(java, archive.cache() / "java").get(HOME_KEY)
    print(home or java.program.resolve().parents[1])
    return 0
