"""Builds Citus and pgvector from source folders and runs a cluster of them on this machine, to try and to test on.

Needs PostgreSQL with its server headers, a C compiler and what Citus links to; on Debian 12:

    apt-get install postgresql-15 postgresql-server-dev-15 gcc make flex libcurl4-openssl-dev liblz4-dev libzstd-dev
    apt-get install libssl-dev libkrb5-dev libxml2-dev libxslt1-dev libselinux1-dev libpam0g-dev libreadline-dev
    apt-get install zlib1g-dev

    python deploy/citus_cluster.py build --folder ~/cluster --citus ~/src/citus --pgvector ~/src/pgvector
    python deploy/citus_cluster.py start --folder ~/cluster --workers 2    # prints the address of the coordinator
    python deploy/citus_cluster.py stop --folder ~/cluster

Nothing outside the folder is written: PostgreSQL is copied into it, and the extensions are installed beside the copy.
Run it as an ordinary user, as PostgreSQL wants. Servers listen on the loopback interface and trust every local user.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

DATABASE = "search"
SETTINGS = {
    "shared_preload_libraries": "'citus'",
    "listen_addresses": "'127.0.0.1'",
    "wal_level": "logical",
    "max_connections": "200",
    "max_prepared_transactions": "400",
    "max_replication_slots": "40",
    "max_wal_senders": "40",
    "max_logical_replication_workers": "40",
    "max_worker_processes": "60",
    "shared_buffers": "'256MB'",
    # What is tried here need not survive a power cut; a server that is killed loses nothing by it.
    "fsync": "off",
    "full_page_writes": "off",
}
MADE = (".git", ".deps", "build", "config.status", "Makefile.global", "*.o", "*.so", "*.bc")
"""What an earlier build may have left in a source folder; it names the folder that it was made in."""


def run(*command: object, cwd: Path | None = None) -> str:
    """Run a program and give what it printed; end with its last lines where it fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def asked(pg_config: str, what: str) -> Path:
    return Path(run(pg_config, f"--{what}").strip())


def build(folder: Path, citus: Path, pgvector: Path, pg_config: str, jobs: int) -> None:
    root = folder / "root"
    for what in ("bindir", "pkglibdir", "sharedir"):
        there = asked(pg_config, what)
        copy = root / there.relative_to("/")
        if not copy.exists():
            # The programs look for their other files relative to where they are.
            shutil.copytree(there, copy, symlinks=False)
    for name, source in (("citus", citus), ("pgvector", pgvector)):
        work = folder / "src" / name
        if not work.exists():
            shutil.copytree(source, work, ignore=shutil.ignore_patterns(*MADE))
        if name == "citus":
            _fit_headers(work, asked(pg_config, "includedir-server"))
            if not (work / "Makefile.global").exists():
                run("./configure", f"PG_CONFIG={pg_config}", "--without-libcurl", cwd=work)
        made = ["make", "-s", f"PG_CONFIG={pg_config}", *([] if name == "citus" else ["OPTFLAGS="])]
        run(*made, f"-j{jobs}", cwd=work)
        run(*made, "install", f"DESTDIR={root}", cwd=work)
    (folder / "bindir").write_text(str(root / asked(pg_config, "bindir").relative_to("/")))
    print(f"built in {folder}; start it with: python {sys.argv[0]} start --folder {folder}")


def _fit_headers(work: Path, include: Path) -> None:
    """Take a function out of Citus that late versions of PostgreSQL 15 bring themselves."""
    header = work / "src" / "include" / "pg_version_compat.h"
    text = header.read_text()
    if "have_createdb_privilege" in (include / "commands" / "dbcommands.h").read_text():
        pattern = r"static inline bool\nhave_createdb_privilege\(void\)\n\{.*?\n\}\n"
        shorter = re.sub(pattern, "", text, flags=re.DOTALL)
        if shorter != text:
            header.write_text(shorter)


class Cluster:
    """The servers in a folder: number 0 is the coordinator, the others are workers."""

    def __init__(self, folder: Path, port: int, cores: Sequence[str] = ()) -> None:
        self._bin = Path((folder / "bindir").read_text())
        self._folder = folder / "nodes"
        self._port = port
        self._cores = cores

    def numbers(self) -> list[int]:
        return sorted(int(node.name) for node in self._folder.glob("*") if node.name.isdecimal())

    def start(self, workers: int, shards: int | None = None) -> None:
        for number in range(workers + 1):
            if not (self._folder / str(number)).exists():
                self._make(number)
            self.control(number, "start")
            self._prepare(number)
        self._join(workers, shards or 2 * (workers + 1))

    def _make(self, number: int) -> None:
        node = self._folder / str(number)
        node.parent.mkdir(parents=True, exist_ok=True)
        run(self._bin / "initdb", "-D", node, "-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "trust")
        lines = {**SETTINGS, "port": self._port + number, "unix_socket_directories": f"'{self._folder}'"}
        with (node / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in lines.items())

    def control(self, number: int, action: str, mode: str = "fast") -> None:
        node = self._folder / str(number)
        state = subprocess.run([str(self._bin / "pg_ctl"), "-D", str(node), "status"], capture_output=True)
        if (state.returncode == 0) == (action == "start"):
            return
        more = ["-m", mode] if action == "stop" else ["-l", self._folder / f"{number}.log"]
        pinned = ["taskset", "-c", self._cores[number % len(self._cores)]] if self._cores else []
        run(*pinned, self._bin / "pg_ctl", "-D", node, "-w", action, *more)

    def sql(self, number: int, *statements: str, database: str = DATABASE) -> str:
        given = [part for statement in statements for part in ("-c", statement)]
        address = f"postgresql://postgres@127.0.0.1:{self._port + number}/{database}"
        return run(self._bin / "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", address, *given).strip()

    def _prepare(self, number: int) -> None:
        if not self.sql(number, f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'", database="postgres"):
            self.sql(number, f"CREATE DATABASE {DATABASE}", database="postgres")
        self.sql(number, "CREATE EXTENSION IF NOT EXISTS citus")

    def _join(self, workers: int, shards: int) -> None:
        # Every node shall hold data, the coordinator as well.
        self.sql(0, f"SELECT citus_set_coordinator_host('127.0.0.1', {self._port})")
        for number in range(1, workers + 1):
            self.sql(0, f"SELECT citus_add_node('127.0.0.1', {self._port + number})")
        self.sql(0, f"SELECT citus_set_node_property('127.0.0.1', {self._port}, 'shouldhaveshards', true)")
        self.sql(0, "CREATE EXTENSION IF NOT EXISTS vector")
        # Small indexes need no more; each shard costs a little in every question.
        self.sql(0, f"ALTER DATABASE {DATABASE} SET citus.shard_count = {shards}")

    @property
    def address(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/{DATABASE}"


def _each(cluster: Cluster, given: int | None) -> Iterable[int]:
    return cluster.numbers() if given is None else [given]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("build", "start", "stop", "kill"))
    parser.add_argument("--folder", type=Path, required=True, help="where everything is made")
    parser.add_argument("--citus", type=Path, help="build: the source folder of Citus, 11.2 or newer")
    parser.add_argument("--pgvector", type=Path, help="build: the source folder of pgvector, 0.8 or newer")
    parser.add_argument("--pg-config", default="pg_config", help="build: of the PostgreSQL to build against")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--workers", type=int, default=2, help="start: so many beside the coordinator")
    parser.add_argument("--shards", type=int, help="start: so many for an index that is made later; two for each node")
    parser.add_argument("--port", type=int, default=5500, help="the port of the coordinator; workers take the next")
    parser.add_argument("--cores", nargs="*", default=(), help="start: those of each node, as in --cores 0-1 2-3 4-5")
    parser.add_argument("--node", type=int, help="start, stop, kill: only this one; 0 is the coordinator")
    given = parser.parse_args()
    if os.geteuid() == 0:
        sys.exit("PostgreSQL does not run as root; run this as an ordinary user")
    folder = given.folder.resolve()
    if given.action == "build":
        if not (given.citus and given.pgvector):
            sys.exit("build needs --citus and --pgvector, the folders with their sources")
        build(folder, given.citus.resolve(), given.pgvector.resolve(), given.pg_config, given.jobs)
        return
    if not (folder / "bindir").exists():
        sys.exit(f"nothing is built in {folder}; begin with: build --folder {given.folder} --citus … --pgvector …")
    cluster = Cluster(folder, given.port, given.cores)
    if given.action == "start" and given.node is not None:
        cluster.control(given.node, "start")
    elif given.action == "start":
        cluster.start(given.workers, given.shards)
        print(cluster.address)
    else:
        for number in _each(cluster, given.node):
            cluster.control(number, "stop", "fast" if given.action == "stop" else "immediate")


if __name__ == "__main__":
    main()
