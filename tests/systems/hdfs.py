"""A small HDFS cluster: a NameNode and two DataNodes, each a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from json import load
from pathlib import Path
from typing import Any

from systems.jars import jars
from systems.servers import Server, free_port, listens, wait_for

VERSION = "org.apache.hadoop:hadoop-client-minicluster:3.5.0"
_NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"


class Node(Server):
    """One process of the cluster, with its own settings."""

    def __init__(self, folder: Path, main: str, settings: dict[str, Any], port: int) -> None:
        self.folder, self.main, self.port = folder, main, port
        folder.mkdir()
        properties = "".join(
            f"<property><name>{name}</name><value>{value}</value></property>"
            for name, value in settings.items()
        )
        for name in ("core-site.xml", "hdfs-site.xml"):
            (folder / name).write_text(f"<configuration>{properties}</configuration>")
        self.classes = f"{folder}:{jars(VERSION)}"

    def command(self, *words: str) -> list[str]:
        options = ["-Xmx192m", "-XX:TieredStopAtLevel=1", "-cp", self.classes]
        return ["java", *options, self.main, *words]

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.folder)
        wait_for(self.main.rpartition(".")[2], lambda: listens(self.port))


class Hdfs:
    """The cluster.

    Attributes:
        uri: of its root.
        http: port of the NameNode's HTTP interface, WebHDFS.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-hdfs-"))
        rpc, self.http = free_port(), free_port()
        self.uri = f"hdfs://127.0.0.1:{rpc}"
        common = {
            "fs.defaultFS": self.uri,
            "hadoop.tmp.dir": self.folder / "tmp",
            "dfs.replication": 2,
            "dfs.heartbeat.interval": 1,
            "dfs.namenode.heartbeat.recheck-interval": 1000,
            "dfs.namenode.safemode.extension": 0,
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            "dfs.namenode.rpc-address": f"127.0.0.1:{rpc}",
            "dfs.namenode.http-address": f"127.0.0.1:{self.http}",
            "dfs.namenode.name.dir": self.folder / "names",
            "dfs.namenode.secondary.http-address": "127.0.0.1:0",
            "dfs.datanode.hostname": "127.0.0.1",
        }
        self.names = Node(self.folder / "namenode", _NAMENODE, common, rpc)
        subprocess.run(
            self.names.command("-format", "-nonInteractive"),
            check=True,
            capture_output=True,
            cwd=self.folder,
        )
        self.data: list[Node] = []
        for number in range(2):
            port = free_port()
            own = {
                "dfs.datanode.address": f"127.0.0.1:{port}",
                "dfs.datanode.http.address": f"127.0.0.1:{free_port()}",
                "dfs.datanode.ipc.address": f"127.0.0.1:{free_port()}",
                "dfs.datanode.data.dir": self.folder / f"blocks{number}",
            }
            folder = self.folder / f"datanode{number}"
            self.data.append(Node(folder, _DATANODE, {**common, **own}, port))
        for node in (self.names, *self.data):
            node.start()
        wait_for("HDFS", lambda: not self.safe() and self.live() == 2)

    def state(self, bean: str) -> dict[str, Any]:
        """What the NameNode says of itself; nothing while it is away."""
        url = f"http://127.0.0.1:{self.http}/jmx?qry=Hadoop:service=NameNode,name={bean}"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                found: list[dict[str, Any]] = load(answer)["beans"]
        except (OSError, urllib.error.URLError):
            return {}
        return found[0] if found else {}

    def live(self) -> int:
        """How many DataNodes there are."""
        return int(self.state("FSNamesystemState").get("NumLiveDataNodes", 0))

    def safe(self) -> bool:
        """Whether it is in safe mode, or away."""
        return bool(self.state("NameNodeInfo").get("Safemode", "away"))

    def admin(self, *words: str) -> None:
        """``hdfs dfsadmin``."""
        command = ["java", "-cp", self.names.classes, "org.apache.hadoop.hdfs.tools.DFSAdmin"]
        subprocess.run([*command, *words], check=True, capture_output=True, cwd=self.folder)

    def close(self) -> None:
        for node in (*self.data, self.names):
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
