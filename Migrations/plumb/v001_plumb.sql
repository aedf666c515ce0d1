-- Everything here is derived from records. The watermark moves in the same transaction as what it stands for.
CREATE TABLE watermark (
  node     TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) WITHOUT ROWID;

-- Interned strings. Rows of numbers hold their ids.
CREATE TABLE environment (
  id         INTEGER PRIMARY KEY,
  app        INTEGER NOT NULL,
  name       TEXT NOT NULL,
  newest_day INTEGER NOT NULL, -- days since 1970
  UNIQUE (app, name)
);

CREATE TABLE release (
  id      INTEGER PRIMARY KEY,
  app     INTEGER NOT NULL,
  version TEXT NOT NULL,
  build   TEXT NOT NULL,
  UNIQUE (app, version, build)
);

-- On which days a build was seen in an environment.
CREATE TABLE release_life (
  environment INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  first_day   INTEGER NOT NULL,
  last_day    INTEGER NOT NULL,
  PRIMARY KEY (environment, release)
) WITHOUT ROWID;

CREATE TABLE os (
  id   INTEGER PRIMARY KEY,
  app  INTEGER NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (app, name)
);

CREATE TABLE device (
  id    INTEGER PRIMARY KEY,
  app   INTEGER NOT NULL,
  model TEXT NOT NULL,
  class TEXT NOT NULL,
  UNIQUE (app, model)
);

-- Metrics outside the catalogue. Their ids start above every catalogue number.
CREATE TABLE metric (
  id   INTEGER PRIMARY KEY,
  app  INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- 0 distribution, 1 counter
  UNIQUE (app, name, unit, kind)
);

CREATE TABLE label (
  id     INTEGER PRIMARY KEY,
  app    INTEGER NOT NULL,
  metric INTEGER NOT NULL,
  name   TEXT NOT NULL,
  UNIQUE (app, metric, name)
);

-- Which part of an app a row is about. kind: 0 all, 1 release, 2 OS, 3 device, 4 class, 5 release and class, 6 cell.
-- A part that the kind does not name is 0 (class: '').
CREATE TABLE slice (
  id          INTEGER PRIMARY KEY,
  app         INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  os          INTEGER NOT NULL,
  device      INTEGER NOT NULL,
  class       TEXT NOT NULL,
  UNIQUE (app, environment, kind, release, os, device, class)
);

-- The finest rows, for any combination of filters. The key follows the question: one slice, one metric, a run of days.
CREATE TABLE cell (
  slice      INTEGER NOT NULL,
  metric     INTEGER NOT NULL,
  start      INTEGER NOT NULL, -- minutes since 1970 by the app's clocks
  resolution INTEGER NOT NULL, -- 0 day, 1 hour, 2 five minutes
  label      INTEGER NOT NULL, -- 0: all labels together
  source     INTEGER NOT NULL,
  received   INTEGER NOT NULL, -- day of the last receipt: retention counts from here
  body       BLOB NOT NULL,
  PRIMARY KEY (slice, metric, start, resolution, label, source)
) WITHOUT ROWID;

CREATE INDEX cell_fine ON cell (resolution, start) WHERE resolution > 0;

-- The same rows summed over what their slice does not name.
CREATE TABLE marginal (
  slice      INTEGER NOT NULL,
  metric     INTEGER NOT NULL,
  start      INTEGER NOT NULL,
  resolution INTEGER NOT NULL,
  label      INTEGER NOT NULL,
  source     INTEGER NOT NULL,
  received   INTEGER NOT NULL,
  body       BLOB NOT NULL,
  PRIMARY KEY (slice, metric, start, resolution, label, source)
) WITHOUT ROWID;

CREATE INDEX marginal_fine ON marginal (resolution, start) WHERE resolution > 0;

-- The winning update of every session of the last fourteen days.
CREATE TABLE session (
  app      INTEGER NOT NULL,
  sid      INTEGER NOT NULL, -- keyed hash
  sequence INTEGER NOT NULL,
  explicit INTEGER NOT NULL, -- 1: the client numbered its updates itself
  outcome  INTEGER NOT NULL,
  user     INTEGER,          -- keyed hash
  minute   INTEGER NOT NULL, -- of its start, by the app's clocks
  cell     INTEGER NOT NULL, -- slice of kind 6
  source   INTEGER NOT NULL,
  received INTEGER NOT NULL, -- day of the last receipt
  PRIMARY KEY (app, sid)
) WITHOUT ROWID;

CREATE INDEX session_user_day ON session (app, user, minute) WHERE user IS NOT NULL;
CREATE INDEX session_received ON session (received);

-- What happened beside the numbers.
CREATE TABLE tally (
  app    INTEGER NOT NULL,
  day    INTEGER NOT NULL,
  kind   INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL, -- key path of the last one
  count  INTEGER NOT NULL,
  PRIMARY KEY (app, day, kind, reason)
) WITHOUT ROWID;

CREATE TABLE app_state (
  app           INTEGER PRIMARY KEY,
  last_received INTEGER NOT NULL -- ms since 1970, UTC
);
