-- Names are admitted by use: each has a score that halves every week, and gives way to one that is used more. What gave way
-- is called "(other)" from that day on (`retired`: days since 1970; 0: it stands), so that rows and sessions that hold its
-- id need not be rewritten.
CREATE TABLE environment_v009 (
  id         INTEGER PRIMARY KEY,
  app        INTEGER NOT NULL,
  name       TEXT NOT NULL,
  newest_day INTEGER NOT NULL, -- days since 1970
  uses       REAL NOT NULL DEFAULT 0,
  used_day   INTEGER NOT NULL DEFAULT 0, -- days since 1970
  retired    INTEGER NOT NULL DEFAULT 0
);
INSERT INTO environment_v009 (id, app, name, newest_day, uses, used_day)
SELECT id, app, name, newest_day, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM environment;
DROP TABLE environment;
ALTER TABLE environment_v009 RENAME TO environment;
CREATE INDEX environment_name ON environment (app, name, retired);

CREATE TABLE release_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  version  TEXT NOT NULL,
  build    TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0
);
INSERT INTO release_v009 (id, app, version, build, uses, used_day)
SELECT id, app, version, build, 10,
  min(CAST(strftime('%s', 'now') / 86400 AS INTEGER),
    coalesce((SELECT max(last_day) FROM release_life WHERE release_life.release = release.id), 0))
FROM release;
DROP TABLE release;
ALTER TABLE release_v009 RENAME TO release;
CREATE INDEX release_name ON release (app, version, build, retired);

CREATE TABLE os_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  name     TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0
);
INSERT INTO os_v009 (id, app, name, uses, used_day)
SELECT id, app, name, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM os;
DROP TABLE os;
ALTER TABLE os_v009 RENAME TO os;
CREATE INDEX os_name ON os (app, name, retired);

CREATE TABLE device_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  model    TEXT NOT NULL,
  class    TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0
);
INSERT INTO device_v009 (id, app, model, class, uses, used_day)
SELECT id, app, model, class, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM device;
DROP TABLE device;
ALTER TABLE device_v009 RENAME TO device;
CREATE INDEX device_name ON device (app, model, retired);

CREATE TABLE metric_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  name     TEXT NOT NULL,
  unit     INTEGER NOT NULL,
  kind     INTEGER NOT NULL, -- 0 distribution, 1 counter
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0
);
INSERT INTO metric_v009 (id, app, name, unit, kind, uses, used_day)
SELECT id, app, name, unit, kind, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM metric;
DROP TABLE metric;
ALTER TABLE metric_v009 RENAME TO metric;
CREATE INDEX metric_name ON metric (app, name, unit, kind, retired);

CREATE TABLE label_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  metric   INTEGER NOT NULL,
  name     TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0
);
INSERT INTO label_v009 (id, app, metric, name, uses, used_day)
SELECT id, app, metric, name, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM label;
DROP TABLE label;
ALTER TABLE label_v009 RENAME TO label;
CREATE INDEX label_name ON label (app, metric, name, retired);

CREATE TABLE client_v009 (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  name     TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0,
  retired  INTEGER NOT NULL DEFAULT 0 -- always 0: what gives way is deleted
);
INSERT INTO client_v009 (app, name, uses, used_day)
SELECT app, name, 10, CAST(strftime('%s', 'now') / 86400 AS INTEGER) FROM client;
DROP TABLE client;
ALTER TABLE client_v009 RENAME TO client;
CREATE INDEX client_name ON client (app, name, retired);

-- Sessions and streams are bounded per app: the longest unseen of an app go first.
DROP INDEX session_received;
CREATE INDEX session_received ON session (app, received);
DROP INDEX stream_received;
ALTER TABLE stream ADD COLUMN updates INTEGER NOT NULL DEFAULT 1; -- 2: more than one
CREATE INDEX stream_received ON stream (app, received, updates);

-- How many rows each app has of what is bounded, so that no batch has to count them. kind: 1 session, 2 stream, 3 diagnostic.
CREATE TABLE row_count (
  app   INTEGER NOT NULL,
  kind  INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (app, kind)
) WITHOUT ROWID;
INSERT INTO row_count SELECT app, 1, count(*) FROM session GROUP BY app;
INSERT INTO row_count SELECT app, 2, count(*) FROM stream GROUP BY app;
INSERT INTO row_count SELECT app, 3, count(*) FROM diagnostic GROUP BY app;
