"""A Citus cluster that runs already, named by MULTIHOP_CITUS: its nodes, its shards, and moves of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

_NOBODY = 1
"""A port that nobody listens on."""
_SHARDS = """
    SELECT s.shardid, n.nodename, n.nodeport FROM pg_dist_shard s JOIN pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid WHERE s.logicalrelid = '{}.{}'::regclass ORDER BY s.shardid"""


@dataclass(frozen=True)
class Node:
    host: str
    port: int


@dataclass(frozen=True)
class Cluster:
    server: str

    @classmethod
    def named(cls) -> Cluster:
        server = os.environ.get("MULTIHOP_CITUS")
        if not server:
            pytest.fail("name the coordinator of a cluster: make test-citus SERVER=postgresql://postgres@host/database")
        return cls(server)

    def address(self, index: str) -> str:
        return f"{self.server}{'&' if '?' in self.server else '?'}index={index}"

    def through(self, node: Node, index: str) -> str:
        """The address of an index through another node than the coordinator."""
        joined = "&" if "?" in self.server else "?"
        return f"{self.server}{joined}host={node.host}&port={node.port}&index={index}"

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.server, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def workers(self) -> list[Node]:
        return [
            Node(host, port)
            for host, port in self.run("SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY 2")
        ]

    @contextmanager
    def unreachable(self, node: Node) -> Iterator[None]:
        """Let the coordinator look for a node where there is none; to whoever reads there the node is dead."""
        moved = "UPDATE pg_dist_node SET nodeport = {} WHERE nodename = '{}' AND nodeport = {}"
        self.run(moved.format(_NOBODY, node.host, node.port))
        try:
            yield
        finally:
            self.run(moved.format(node.port, node.host, _NOBODY))

    def shards(self, index: str, table: str = "passage") -> list[tuple[int, Node]]:
        found = self.run(_SHARDS.format(f"multihop_{index}", table))
        return [(shard, Node(host, port)) for shard, host, port in found]

    def move(self, shard: int, source: Node, target: Node, mode: str = "block_writes") -> None:
        """Move a shard with those beside it."""
        self.run(
            f"SELECT citus_move_shard_placement({shard}, '{source.host}', {source.port}, '{target.host}', "
            f"{target.port}, shard_transfer_mode => '{mode}')"
        )

    def move_all(self, index: str, target: Node, table: str = "passage") -> None:
        """Move every shard of a table to one node."""
        for shard, node in self.shards(index, table):
            if node != target:
                self.move(shard, node, target)
