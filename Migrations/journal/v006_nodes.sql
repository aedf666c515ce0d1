-- Of an ingest node: how the batch divides into requests, and the idempotency key of each. NULL on every other journal.
ALTER TABLE batch ADD COLUMN requests BLOB;

-- Of an ingest node, one row: how far its journal is relayed to the primary.
CREATE TABLE relay (
  only      INTEGER PRIMARY KEY CHECK (only = 1),
  identity  TEXT NOT NULL,              -- the name under which records are relayed
  position  INTEGER NOT NULL,           -- the sequence up to which the primary has them
  opened    INTEGER,                    -- the last sequence when it was opened; NULL once the primary agreed
  set_aside INTEGER NOT NULL DEFAULT 0  -- records that could not be relayed
);

-- Of a primary: the ingest nodes, and up to which of their sequences their records are in this journal.
CREATE TABLE ingest_node (
  id       TEXT PRIMARY KEY,
  name     TEXT NOT NULL,
  position INTEGER NOT NULL,
  heard    INTEGER NOT NULL -- ms since 1970, UTC
) WITHOUT ROWID;
