"""Votes: stories with their votes, and the top ten: views on views, from Kafka to a Django page.

    make demo-systems                          all demos, or
    PYTHONPATH=python:tests python examples/systems/votes.py [FOLDER]

It starts a Kafka broker, a PostgreSQL server and a Django server of its own on 127.0.0.1, and ends
them. Votes come from Kafka, and some are taken back by a message without a value; stories are
written to a table. ``stories_with_vc`` joins both, ``top_stories`` reads it. The sink keeps the ten
in PostgreSQL, and the Django page reads them. At the end they are compared with what batch Spark
makes of the topic; FOLDER/votes.png shows the race, and FOLDER/page.png the page in Chromium, where
that is installed.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from dashboard.server import Dashboard
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from systems.chromium import chromium, screenshot
from systems.servers import Kafka, MissingError, Postgres
from systems.topics import Input

STORY = "id int, author int, title string, url string"
VOTE = "user_id int, story_id int"
TITLES = (
    "Tides of state", "A log is a table", "Late to the window", "The barrier and the snapshot",
    "Joins that remember", "What a watermark promises", "Counting distinct things",
    "One epoch at a time", "Merging sorted runs", "Retractions, explained", "The slow consumer",
    "Twice is too often", "Compaction by night", "Keys and their groups",
)  # fmt: skip
WITH_COUNT = """
    SELECT id, author, title, url, vcount
    FROM {stories} JOIN (
        SELECT story_id, count(DISTINCT user_id) AS vcount FROM {votes} GROUP BY story_id
    ) VoteCount ON VoteCount.story_id = id
"""
TOP = "SELECT id, title, vcount FROM {stories} ORDER BY vcount DESC, id LIMIT 10"
Row = tuple[int, str, int]


class News:
    """The topic, the pipeline, its sink and the page over it."""

    def __init__(
        self, spark: SparkSession, folder: Path, kafka: Kafka, postgres: Postgres, topic: str
    ) -> None:
        self.spark, self.kafka, self.postgres = spark, kafka, postgres
        self.topic = Input(kafka, 2, topic)
        self.dashboard = Dashboard(postgres, "stories")
        p = gs.pipeline(spark, str(folder / "checkpoint"))
        self.stories = p.table("stories", STORY, key="id")
        p.keep(self.stories)
        assert self.stories.df is not None
        self.stories.df.createOrReplaceTempView("stories_in")
        key = ["user_id", "story_id"]
        votes = gs.kafka(spark, kafka.servers, topic, "upsert", key=key, schema=VOTE, name="votes")
        votes.createOrReplaceTempView("votes_in")
        query = WITH_COUNT.format(stories="stories_in", votes="votes_in")
        p.view("stories_with_vc", spark.sql(query))
        p.read("stories_with_vc").createOrReplaceTempView("stories_with_vc_in")
        p.view("top_stories", spark.sql(TOP.format(stories="stories_with_vc_in")))
        p.sink("page", "top_stories", "postgres", **self.dashboard.sink("top_stories", "id"))
        self.run = p.start()
        self.dashboard.start()

    def write(self, *stories: tuple[int, int, str, str]) -> None:
        self.stories.upsert(self.spark.createDataFrame(list(stories), STORY))
        self.run.processAllAvailable()

    def vote(self, *ballots: tuple[int, int], back: bool = False) -> None:
        """Votes of users for stories; ``back`` takes them back."""
        for user, story in ballots:
            row = {"user_id": user, "story_id": story}
            self.topic.send((row, None if back else row), partition=user % 2)
        self.run.processAllAvailable()

    def top(self) -> list[Row]:
        """The ten, as they stand in PostgreSQL."""
        import psycopg

        query = "SELECT id, title, vcount FROM top_stories ORDER BY vcount DESC, id"
        with psycopg.connect(
            host="127.0.0.1", port=self.postgres.port, dbname=self.dashboard.views, user="owner",
            password=self.postgres.PASSWORD,
        ) as connection:  # fmt: skip
            return list(connection.execute(query).fetchall())

    def show(self, what: str) -> None:
        print(f"\n{what}. PostgreSQL has:")
        for _, title, count in self.top():
            print(f"  {count:4} votes  {title}")

    def check(self) -> int:
        """Compares the ten with batch Spark's over topic and stories; gives the votes."""
        rows = self.spark.read.format("kafka").option("subscribe", self.topic.name)
        rows = rows.option("kafka.bootstrap.servers", self.kafka.servers).load()
        last = rows.groupBy("key").agg(F.max_by(F.struct("value"), "offset").alias("last"))
        text = F.col("last.value").cast("string")
        votes = last.where("last.value IS NOT NULL").select(F.from_json(text, VOTE).alias("v"))
        votes.select("v.*").createOrReplaceTempView("votes_batch")
        self.run.view("stories").createOrReplaceTempView("stories_batch")
        stories = WITH_COUNT.format(stories="stories_batch", votes="votes_batch")
        wanted = [tuple(r) for r in self.spark.sql(TOP.format(stories=f"({stories})")).collect()]
        found = self.top()
        assert found == wanted, f"PostgreSQL has {found}, batch Spark {wanted}"
        return self.spark.table("votes_batch").count()

    def close(self) -> None:
        self.run.stop()
        self.dashboard.close()


def evening(news: News, rng: random.Random) -> list[dict[str, int]]:
    """Rounds of votes; in the sixth the votes that a robot cast are taken back."""
    history: list[dict[str, int]] = []
    cast: set[tuple[int, int]] = set()
    robots = [(user, 10) for user in range(5000, 5040)]
    for number in range(8):
        liking = [15 - i if number < 3 else 1 + 2 * i for i in range(len(TITLES))]
        new = {
            (rng.randrange(1, 2000), rng.choices(range(1, len(TITLES) + 1), liking)[0])
            for _ in range(60)
        } - cast
        cast |= new
        news.vote(*sorted(new), *(robots if number == 2 else ()))
        if number == 5:
            news.show("Forty votes of robots push one story up")
            news.vote(*robots, back=True)
            news.show("They are taken back")
        history.append({title: count for _, title, count in news.top()})
    return history


def draw(history: list[dict[str, int]], path: Path) -> None:
    """Places in the top ten, round by round."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 5.5), dpi=110)
    places: list[dict[str, int]] = [{t: i + 1 for i, t in enumerate(tops)} for tops in history]
    titles = [t for t in TITLES if any(t in p for p in places)]
    colours: Any = mpl.colormaps["tab20"].colors
    for title, colour in zip(titles, colours, strict=False):
        line = [float(p.get(title, "nan")) for p in places]
        axes.plot(range(1, len(places) + 1), line, marker="o", linewidth=2.2, color=colour)
        if title in places[-1]:
            axes.annotate(
                f"{title} ({history[-1][title]})", (len(places), places[-1][title]),
                xytext=(10, 0), textcoords="offset points", va="center", color="#2b333d",
            )  # fmt: skip
    axes.axvline(6, color="#8a929c", linestyle="--", linewidth=1)
    axes.annotate(
        "robots' votes are taken back", (6, 10.6), xytext=(-8, 0), textcoords="offset points",
        ha="right", va="center", color="#5b636d",
    )  # fmt: skip
    axes.set_ylim(11, 0.4)
    axes.set_yticks(range(1, 11))
    axes.set_xticks(range(1, len(places) + 1))
    axes.set_title("The ten stories with the most votes, as PostgreSQL showed them")
    axes.set_ylabel("place")
    axes.set_xlabel("round of votes")
    axes.spines[["top", "right"]].set_visible(False)
    figure.subplots_adjust(right=0.72)
    figure.savefig(path)
    plt.close(figure)


def main(
    spark: SparkSession, folder: Path, kafka: Kafka, postgres: Postgres, topic: str = "votes"
) -> Path:
    """Runs it; gives the picture."""
    news = News(spark, folder, kafka, postgres, topic)
    try:
        news.write(*((i, i % 3, t, f"https://example.org/{i}") for i, t in enumerate(TITLES, 1)))
        news.vote((1, 1), (2, 1), (3, 2))
        news.show("The first three votes")
        news.vote((1, 1), back=True)
        news.show("User 1 takes the vote back")
        news.vote((4, 1), (5, 2))
        news.show("Two more")
        history = evening(news, random.Random(5))  # noqa: S311 - readers, no secret
        news.write((14, 14 % 3, "Keys and their groups, revised", "https://example.org/14"))
        news.show("An evening later; a title has changed")
        address = f"{news.dashboard.address}/stories/"
        print(f"\nThe page is at {address} while this runs.")
        try:
            chromium()
            page = folder / "page.png"
            with tempfile.TemporaryDirectory() as profile:
                screenshot(Path(profile), address, page, width=700, height=700)
            print(f"The page in Chromium: {page}")
        except MissingError as e:
            print(f"No picture of the page: {e}")
        print(f"The ten of {news.check()} votes are what batch Spark makes of the topic.")
    finally:
        news.close()
    picture = folder / "votes.png"
    draw(history, picture)
    print(f"Picture: {picture}")
    return picture


if __name__ == "__main__":
    from carts import session

    home = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="votes-"))
    home.mkdir(parents=True, exist_ok=True)
    broker = Kafka()
    try:
        server = Postgres()
        try:
            main(session("votes"), home, broker, server)
        finally:
            server.close()
    finally:
        broker.close()
