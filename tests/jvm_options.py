"""What JVMs of tests are started with. Run as a program, it makes their archive of classes."""

import sys
from pathlib import Path

from groundswell.archive import OPTIONS_KEY, Setup, setup
from groundswell.archiving import ArchiveError, make

ARCHIVES = Path(__file__).resolve().parents[1] / "build" / "class-archive"

# Tests are short: the second compiler would cost them more than it gives, and so would threads
# that collect garbage beside them. With one compiler there is room for 48 MB of code, which two
# minutes of random queries fill. Huge pages are Linux's only.
OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:ReservedCodeCacheSize=240m -XX:+UseTransparentHugePages"
)


def archive() -> Setup | None:
    """Of Spark's classes alone: our jar changes with each edit."""
    return setup(None, within=ARCHIVES)


def jvm_options() -> str:
    """The options, with the archive where it is made."""
    made = archive()
    return f"{OPTIONS} {made.reading().get(OPTIONS_KEY, '') if made else ''}".strip()


if __name__ == "__main__":
    wanted = archive()
    try:
        if wanted is not None:
            make(wanted)
    except ArchiveError as e:  # then tests are slower, and no less
        print(f"JVMs start slowly: {e}", file=sys.stderr)
