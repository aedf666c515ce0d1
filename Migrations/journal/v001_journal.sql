-- One row per commit: the records of all requests that waited for it, each behind its length.
-- AUTOINCREMENT: a sequence is never given out twice, not even after every row was purged.
CREATE TABLE batch (
  through  INTEGER PRIMARY KEY AUTOINCREMENT, -- sequence of the last record
  first    INTEGER NOT NULL,                  -- sequence of the first record
  count    INTEGER NOT NULL,
  received INTEGER NOT NULL,                  -- ms since 1970, UTC
  records  BLOB NOT NULL
);

-- Idempotency keys of the last seven days, hashed.
CREATE TABLE receipt (
  app      INTEGER NOT NULL,
  key      INTEGER NOT NULL,
  received INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (app, key)
) WITHOUT ROWID;

CREATE INDEX receipt_received ON receipt (received);

-- The identity of this data folder, made with it.
CREATE TABLE node (
  id TEXT NOT NULL
);
