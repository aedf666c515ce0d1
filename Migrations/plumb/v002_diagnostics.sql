-- Every diagnostic that was counted. Its body and stacks are in samples.db under (app, identity).
CREATE TABLE diagnostic (
  id          INTEGER PRIMARY KEY,
  app         INTEGER NOT NULL,
  identity    INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  cell        INTEGER NOT NULL, -- slice of kind 6
  source      INTEGER NOT NULL,
  day         INTEGER NOT NULL, -- by the app's clocks, days since 1970
  time        INTEGER,          -- ms since 1970, UTC; NULL when only the day is known
  received    INTEGER NOT NULL, -- ms since 1970, UTC
  quantity    REAL,
  session     INTEGER,          -- keyed hash
  user        INTEGER,          -- keyed hash
  type        INTEGER,          -- Mach exception type
  code        INTEGER,          -- its bits
  signal      INTEGER,
  name        TEXT,
  termination TEXT,
  reason      TEXT
);

CREATE INDEX diagnostic_identity ON diagnostic (app, identity, received);
CREATE INDEX diagnostic_day ON diagnostic (app, day);
CREATE INDEX diagnostic_received ON diagnostic (received);

-- The last value of every stream that repeats all it counted since its start.
CREATE TABLE stream (
  app      INTEGER NOT NULL,
  stream   INTEGER NOT NULL, -- hash of resource, scope, metric and attributes
  start    INTEGER NOT NULL, -- ms since 1970, UTC
  time     INTEGER NOT NULL, -- of the last value, ms since 1970, UTC
  received INTEGER NOT NULL, -- day of the last receipt
  value    BLOB NOT NULL,
  PRIMARY KEY (app, stream, start)
) WITHOUT ROWID;

CREATE INDEX stream_received ON stream (received);

-- What happened beside the numbers, now also by the program that sent it and by release.
ALTER TABLE tally RENAME TO tally_v001;

CREATE TABLE tally (
  app     INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  reason  TEXT NOT NULL,
  client  TEXT NOT NULL, -- '' when unknown
  release TEXT NOT NULL, -- '' when unknown
  detail  TEXT NOT NULL, -- key path of the last one
  count   INTEGER NOT NULL,
  PRIMARY KEY (app, day, kind, reason, client, release)
) WITHOUT ROWID;

INSERT INTO tally (app, day, kind, reason, client, release, detail, count)
SELECT app, day, kind, reason, '', '', detail, count FROM tally_v001;

DROP TABLE tally_v001;

-- Programs that an app's payloads came from, so that their number can be bounded.
CREATE TABLE client (
  app  INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (app, name)
) WITHOUT ROWID;
