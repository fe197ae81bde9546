"""What language models answered: a cache that makes stopping and starting again free of charge.

Owns ``replies.duckdb``. A reply is found by the hash of model, prompt version and text, so the same question is never
paid for twice. Replies quote notes: the file is encrypted like the indexes, and what was asked for a source goes when
the source goes.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import IndexDamaged
from engine.model import SourceId
from engine.store import rows
from engine.store.database import Cursor, Database, set_aside
from engine.store.migrations import Migration, open_migrated


@dataclass(frozen=True, slots=True)
class CachedReply:
    key: str
    """See ``reply_key``."""
    model: str
    prompt_version: str
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    source: SourceId | None = None
    """Whose text was asked about; None for questions over several sources."""
    answered_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """What calls of one model with one prompt took on the average."""

    calls: int
    tokens_in: float
    tokens_out: float
    seconds: float


def reply_key(model: str, prompt_version: str, text: str) -> str:
    """SHA-256 hex of the three, told apart by a character that none of them holds."""
    return hashlib.sha256("\0".join((model, prompt_version, text)).encode("utf-8", "surrogatepass")).hexdigest()


def m001_first_schema(cursor: Cursor) -> None:
    cursor.execute(
        """CREATE TABLE replies (key VARCHAR NOT NULL, model VARCHAR NOT NULL, prompt_version VARCHAR NOT NULL,
            text VARCHAR NOT NULL, tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL, seconds DOUBLE NOT NULL,
            source VARCHAR NOT NULL, answered_at DOUBLE NOT NULL)"""
    )


MIGRATIONS: tuple[Migration, ...] = (m001_first_schema,)
SCHEMAS = ("d49ffa3ceab6f611",)
"""``schema_digest`` after each."""
_COLUMNS = "key, model, prompt_version, text, tokens_in, tokens_out, seconds, source, answered_at"


class ReplyStore:
    """Safe from any thread. ``notices`` tells the owner when a damaged file had to be set aside."""

    def __init__(self, database: Database, notices: tuple[str, ...] = ()) -> None:
        self._db = database
        self.notices = notices

    @classmethod
    def open(cls, path: Path, key: str | None = None) -> ReplyStore:
        """Open or create. A damaged file is set aside: its replies have to be asked for again."""
        try:
            return cls(open_migrated(path, key, MIGRATIONS, SCHEMAS))
        except IndexDamaged as error:
            aside = set_aside(path)
            notice = f"{error.message} Models will be asked again; the old file is {aside.name}."
            return cls(open_migrated(path, key, MIGRATIONS, SCHEMAS), (notice,))

    def close(self) -> None:
        self._db.close()

    def get(self, keys: Sequence[str]) -> dict[str, CachedReply]:
        """The replies that are known, by key."""
        with self._db.read() as cursor:
            found = cursor.execute(
                f"SELECT {_COLUMNS} FROM replies WHERE key IN {rows.ANY_STRING}", [rows.strings(keys)]
            ).fetchall()
        return {
            key: CachedReply(key, model, version, text, tokens_in, tokens_out, seconds, SourceId(source) or None, at)
            for key, model, version, text, tokens_in, tokens_out, seconds, source, at in found
        }

    def put(self, reply: CachedReply) -> None:
        """Keep a reply at once, replacing an older one of the same key; its time is set here."""
        with self._db.write() as cursor:
            cursor.execute("DELETE FROM replies WHERE key = $1", [reply.key])
            cursor.execute(
                "INSERT INTO replies VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                [
                    reply.key, reply.model, reply.prompt_version, rows.clean(reply.text), reply.tokens_in,
                    reply.tokens_out, reply.seconds, reply.source or "", time.time(),
                ],
            )  # fmt: skip

    def sample(self, model: str, prompt_version: str) -> Sample | None:
        """Averages over the replies of this model to this prompt; None without any. Empty ``model`` means all."""
        with self._db.read() as cursor:
            row = cursor.execute(
                """SELECT count(*), avg(tokens_in), avg(tokens_out), avg(seconds) FROM replies
                WHERE prompt_version = $2 AND (model = $1 OR $1 = '')""",
                [model, prompt_version],
            ).fetchone()
        return Sample(*row) if row and row[0] else None

    def count(self) -> int:
        with self._db.read() as cursor:
            row = cursor.execute("SELECT count(*) FROM replies").fetchone()
        return int(row[0]) if row else 0

    def forget_source(self, source: SourceId) -> None:
        """Delete the replies about a source that was removed, and those over several sources."""
        with self._db.write() as cursor:
            cursor.execute("DELETE FROM replies WHERE source IN ($1, '')", [source])
