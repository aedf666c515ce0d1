-- control.db: what people set up. Instants are milliseconds since 1970-01-01 UTC.

-- AUTOINCREMENT: the number of a removed app stands in stored rows and must never mean another app.
CREATE TABLE app (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bundle_id TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  time_zone TEXT NOT NULL,
  keeps_exception_text INTEGER NOT NULL
) STRICT;

CREATE TABLE ingest_key (
  key TEXT PRIMARY KEY,
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  created INTEGER NOT NULL,
  retires INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX ingest_key_by_app ON ingest_key (app);

CREATE TABLE user (
  name TEXT PRIMARY KEY COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE login (
  id_hash TEXT PRIMARY KEY,
  user TEXT NOT NULL COLLATE NOCASE REFERENCES user (name) ON DELETE CASCADE,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX login_by_user ON login (user);

CREATE INDEX login_by_expiry ON login (expires);

CREATE TABLE read_token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  last_used INTEGER
) STRICT;

-- One row. A running server reads it once a second to see what other processes changed.
CREATE TABLE control_version (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL
) STRICT;

INSERT INTO control_version (only, version) VALUES (1, 1);
