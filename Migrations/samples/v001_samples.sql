-- Bodies of diagnostics by the hash of their content, so that equal bodies are stored once.
CREATE TABLE body (
  hash     BLOB PRIMARY KEY, -- SHA-256 of the raw bytes
  app      INTEGER NOT NULL,
  kind     INTEGER NOT NULL,
  received INTEGER NOT NULL, -- ms since 1970, UTC
  size     INTEGER NOT NULL, -- bytes before compression
  zstd     BLOB NOT NULL
) WITHOUT ROWID;

CREATE INDEX body_received ON body (received);
