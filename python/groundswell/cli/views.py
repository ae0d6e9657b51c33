"""What the doctor says of a pipeline's views, from its checkpoint's files alone."""

from groundswell.cli.diagnosis import Finding, Level
from groundswell.errors import GroundswellError
from groundswell.format import open_folder
from groundswell.runtime.record import definition
from groundswell.state.documents import Documents

PIPELINE = "groundswell"


def findings(location: str) -> list[Finding]:
    """A line for each view that stands still; one if none does, or the location has no views.

    Args:
        location: checkpointLocation of a pipeline.
    """
    try:
        owner = definition.load(Documents(open_folder(location).child(PIPELINE)))
    except GroundswellError as error:
        return [Finding(Level.WRONG, "views", "unreadable", str(error))]
    if owner is None:
        return [
            Finding(Level.WRONG, "views", "none", "this is not the checkpointLocation of a view")
        ]
    return [
        Finding(Level.WRONG, f"view {name}", "set aside", aside.text(name))
        for name, aside in owner.aside.items()
    ] or [Finding(Level.OK, "views", ", ".join(owner.views))]
