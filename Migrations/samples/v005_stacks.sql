-- Call trees of an even random sample of hangs, CPU exceptions and disk writes, to compare the code of two releases.
CREATE TABLE stack (
  app      INTEGER NOT NULL,
  identity INTEGER NOT NULL,
  slot     INTEGER NOT NULL, -- hash of kind, environment, version and week
  rank     INTEGER NOT NULL, -- hash of the identity; a slot keeps its lowest ranks
  received INTEGER NOT NULL, -- ms since 1970, UTC
  stored   INTEGER NOT NULL, -- bytes of the frame
  calls    BLOB NOT NULL,    -- zstd frame of the recorded call tree
  PRIMARY KEY (app, identity)
);

CREATE INDEX stack_slot ON stack (app, slot, rank);
CREATE INDEX stack_app ON stack (app, received, stored);
