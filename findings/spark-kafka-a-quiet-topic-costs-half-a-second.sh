#!/usr/bin/env bash
# Spark 4.2.0 with Kafka 4.3.1: each micro-batch that reads to the end of a topic waits for half a second.
#
# Spark reads a message, and then asks the broker where the partition begins and ends. In between Kafka's client has
# sent the request for what comes next. Behind the last message the broker keeps that one for fetch.max.wait.ms, 500
# by default, and it answers the requests of a connection one after the other. So the more quiet a topic is, the
# later its rows are: where messages come all the time, the request is answered at once. Spark's guides name no such
# wait, and trigger and poll timeout do not change it; kafka.fetch.max.wait.ms does.
#
# Guess before the run: one message is read within some milliseconds, whatever that setting is.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || { kill "$broker"; wait "$broker"; } 2>/dev/null; rm -rf "$work"' EXIT
fetch() { # group, artifact, version
  mkdir -p "$work/$2"
  cat >"$work/$2/pom.xml" <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>finding</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version></dependency>
  </dependencies>
</project>
XML
  mvn -q -f "$work/$2/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/$2/jars" \
    >"$work/mvn" 2>&1 || { tail -5 "$work/mvn"; exit 1; }
}
fetch org.apache.kafka kafka_2.13 4.3.1
fetch org.apache.spark spark-sql-kafka-0-10_2.13 4.2.0
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'pyspark==4.2.0'
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
servers=127.0.0.1:$(port)
controller=127.0.0.1:$(port)
cat >"$work/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=$controller
listeners=PLAINTEXT://$servers,CONTROLLER://$controller
advertised.listeners=PLAINTEXT://$servers
controller.listener.names=CONTROLLER
log.dirs=$work/logs
num.partitions=1
offsets.topic.replication.factor=1
PROPERTIES
kafka() { java -Xmx384m -cp "$work/kafka_2.13/jars/*" "$@"; }
kafka kafka.tools.StorageTool format -t AAAAAAAAAAAAAAAAAAAAAQ -c "$work/server.properties" --standalone >"$work/format" 2>&1
kafka kafka.Kafka "$work/server.properties" >"$work/broker" 2>&1 &
broker=$!
cat >"$work/run.py" <<'PY'
import glob
import statistics
import sys

from pyspark.sql import SparkSession

work, servers = sys.argv[1:]
own = ("hadoop-", "jsr305-", "lz4-", "scala-", "slf4j-", "snappy-", "spark-tags_")
jars = glob.glob(f"{work}/spark-sql-kafka-0-10_2.13/jars/*.jar")
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.jars", ",".join(j for j in jars if not j.rsplit("/")[-1].startswith(own)))
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)


def send(topic):
    row = spark.createDataFrame([(b"a",)], "value binary").coalesce(1)
    row.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic).save()


def batches(topic, **options):
    """How long batches of one message take, in milliseconds: the median of ten."""
    send(topic)
    stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    stream = stream.option("subscribe", topic).option("startingOffsets", "earliest").options(**options)
    query = stream.load().writeStream.format("noop").start()
    query.processAllAvailable()
    for _ in range(14):
        send(topic)
        query.processAllAvailable()
    taken = [p["durationMs"]["addBatch"] for p in query.recentProgress if p["numInputRows"]]
    query.stop()
    return statistics.median(taken[-10:])


usual = batches("usual")
short = batches("short", **{"kafka.fetch.max.wait.ms": "10"})
print(f"addBatch: {usual:.0f} ms, with a wait of 10 ms {short:.0f} ms", file=sys.stderr)
print("a batch of one message takes half a second:", usual >= 500)
print("with kafka.fetch.max.wait.ms = 10 it takes 400 ms less:", usual - short >= 400)
spark.stop()
PY
expected="a batch of one message takes half a second: True
with kafka.fetch.max.wait.ms = 10 it takes 400 ms less: True"
seen=$("$work/venv/bin/python" "$work/run.py" "$work" "$servers" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
grep addBatch "$work/errors"
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
