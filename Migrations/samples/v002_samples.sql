-- Bodies and call stacks of diagnostics. The table before it was never written to.
DROP TABLE body;

CREATE TABLE sample (
  app      INTEGER NOT NULL,
  identity INTEGER NOT NULL,
  kind     INTEGER NOT NULL,
  received INTEGER NOT NULL, -- ms since 1970, UTC
  size     INTEGER NOT NULL, -- bytes of the JSON before compression
  stored   INTEGER NOT NULL, -- bytes of both frames
  calls    BLOB NOT NULL,    -- zstd frame of the recorded call tree
  body     BLOB NOT NULL,    -- zstd frame of the JSON
  PRIMARY KEY (app, identity)
);

CREATE INDEX sample_received ON sample (received, stored);
