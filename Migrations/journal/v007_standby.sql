-- The ingest node that relayed the batch, and its position after it, so that every prefix of a copy of this journal has
-- the positions that belong to it. NULL: own records.
ALTER TABLE batch ADD COLUMN node TEXT;
ALTER TABLE batch ADD COLUMN node_position INTEGER;

-- Which primary this journal belongs to, one row: a promotion of a standby begins the next epoch.
CREATE TABLE epoch (
  only          INTEGER PRIMARY KEY CHECK (only = 1),
  number        INTEGER NOT NULL,
  previous      TEXT,              -- the address of the primary that this one replaced; NULL in the first epoch
  superseded    INTEGER,           -- the epoch of a newer primary; NULL while there is none
  superseded_by TEXT               -- its address
);

INSERT INTO epoch (only, number) VALUES (1, 0);

-- The servers that may hold a copy of this journal: standbys of a primary, and the primary that this one replaced.
CREATE TABLE peer (
  address TEXT PRIMARY KEY,
  heard   INTEGER NOT NULL -- ms since 1970, UTC
) WITHOUT ROWID;
