"""Stories, votes, and the stories with the most votes, kept as votes come and stories change.

    python examples/votes.py [FOLDER]

Two tables that are written to, two views, one reading the other; every print reads one epoch.
"""

import sys
import tempfile

from pyspark.sql import SparkSession

import groundswell as gs

VOTES_PER_STORY = """
    SELECT s.id, s.title, count(DISTINCT v.reader) AS votes
    FROM stories s LEFT JOIN votes v ON v.story = s.id
    GROUP BY s.id, s.title
"""
TOP = "SELECT title, votes FROM votes_per_story ORDER BY votes DESC, id LIMIT 2"


def show(run: gs.IncrementalQuery, what: str) -> list[tuple[str, int]]:
    """Waits for what was written, then prints the top stories."""
    run.processAllAvailable()
    top = sorted(((r.title, r.votes) for r in run.view("top").collect()), key=lambda r: -r[1])
    print(f"{what}:")
    for title, votes in top:
        print(f"  {votes} votes  {title}")
    return top


def main(spark: SparkSession, folder: str) -> list[list[tuple[str, int]]]:
    """Runs it; gives what was printed."""
    pipeline = gs.pipeline(spark, folder)
    stories = pipeline.table("stories", "id bigint, title string", key="id")
    votes = pipeline.table("votes", "story bigint, reader string", key=["story", "reader"])
    assert stories.df is not None
    assert votes.df is not None
    stories.df.createOrReplaceTempView("stories")
    votes.df.createOrReplaceTempView("votes")
    pipeline.view("votes_per_story", spark.sql(VOTES_PER_STORY))
    pipeline.read("votes_per_story").createOrReplaceTempView("votes_per_story")
    pipeline.view("top", spark.sql(TOP))
    run = pipeline.start()
    printed = []

    def cast(*ballots: tuple[int, str]) -> None:
        votes.upsert(spark.createDataFrame(list(ballots), "story bigint, reader string"))

    titles = [(1, "Tides of state"), (2, "A log is a table"), (3, "Late to the window")]
    stories.insert(spark.createDataFrame(titles, "id bigint, title string"))
    cast((1, "ann"), (1, "bob"), (2, "ann"), (1, "ann"))  # ann likes the first one twice
    printed.append(show(run, "After the first votes"))
    cast((3, "ann"), (3, "bob"), (3, "cyd"))
    printed.append(show(run, "Three readers found the third story"))
    votes.delete(spark.createDataFrame([(3, "bob"), (3, "cyd")], "story bigint, reader string"))
    stories.upsert(
        spark.createDataFrame([(1, "Tides of state, 2nd ed.")], "id bigint, title string")
    )
    printed.append(show(run, "Two took their votes back, and a title changed"))
    run.stop()
    return printed


if __name__ == "__main__":
    home = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="votes-")
    main(gs.configure(SparkSession.builder.appName("votes")).getOrCreate(), home)
