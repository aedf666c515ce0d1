-- Requests to delete a part of an app's data. The process that digests carries them out; the statement stays as evidence.
CREATE TABLE erasure (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  app          INTEGER NOT NULL,
  bundle_id    TEXT NOT NULL,
  kind         TEXT NOT NULL, -- app, release, days, metric, label, payload, user
  subject      TEXT NOT NULL, -- of a payload or user only a keyed hash
  requested    INTEGER NOT NULL, -- ms since 1970, UTC
  requested_by TEXT NOT NULL,
  finished     INTEGER,
  refused      INTEGER NOT NULL DEFAULT 0,
  statement    TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX erasure_waiting ON erasure (id) WHERE finished IS NULL;
