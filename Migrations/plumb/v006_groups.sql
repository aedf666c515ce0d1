-- What diagnostics of one cause have in common. Its fingerprint is its name outside of this file.
CREATE TABLE diagnostic_group (
  id          INTEGER PRIMARY KEY,
  app         INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  version     INTEGER NOT NULL, -- of the rules it was made by
  kind        INTEGER NOT NULL,
  exception   TEXT NOT NULL,
  place       TEXT NOT NULL, -- a function, or a binary and an offset
  binary      TEXT NOT NULL,
  symbolic    INTEGER NOT NULL, -- 1: all its frames have names
  cut         INTEGER NOT NULL, -- 1: made of stacks that were cut
  prefixes    BLOB NOT NULL, -- fingerprints of its first frames, 8 bytes each
  successor   INTEGER, -- the group it became part of
  UNIQUE (app, fingerprint)
);

CREATE INDEX diagnostic_group_successor ON diagnostic_group (successor) WHERE successor IS NOT NULL;

-- What of a diagnostic tells its cause. Equal ones always belong to one group; which one, symbols decide.
CREATE TABLE signature (
  id         INTEGER PRIMARY KEY,
  app        INTEGER NOT NULL,
  hash       INTEGER NOT NULL,
  member     INTEGER NOT NULL, -- of this group
  exception  TEXT NOT NULL,
  generation INTEGER NOT NULL, -- of the symbols it was worked out with; -1: with none
  stem       BLOB NOT NULL,
  UNIQUE (app, hash)
);

CREATE INDEX signature_member ON signature (member);
CREATE INDEX signature_generation ON signature (generation);

-- In which builds a signature was seen, for as long as there are builds.
CREATE TABLE signature_life (
  signature   INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  first_day   INTEGER NOT NULL,
  last_day    INTEGER NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (signature, environment, release)
) WITHOUT ROWID;

ALTER TABLE diagnostic ADD COLUMN signature INTEGER; -- NULL: without a group, or not looked at yet

ALTER TABLE diagnostic ADD COLUMN examined INTEGER NOT NULL DEFAULT 0; -- 1: its group was looked for

CREATE INDEX diagnostic_signature ON diagnostic (signature, id);
CREATE INDEX diagnostic_counted ON diagnostic (app, day, signature, cell, session, user);
CREATE INDEX diagnostic_unexamined ON diagnostic (id) WHERE examined = 0;

-- Which binaries the diagnostics of each build name.
CREATE TABLE image (
  app     INTEGER NOT NULL,
  release INTEGER NOT NULL,
  uuid    TEXT NOT NULL,
  name    TEXT NOT NULL,
  own     INTEGER NOT NULL, -- 1: it came with the app
  seen    INTEGER NOT NULL, -- diagnostics
  PRIMARY KEY (app, release, uuid, name)
) WITHOUT ROWID;
