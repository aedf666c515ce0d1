-- What alerts remember. Instants are milliseconds since 1970-01-01 UTC. App 0 is the data folder as a whole.

-- How far an app was evaluated, and a version that grows with every change of its incidents: of two processes that
-- decide at once, the second finds another version and decides again.
CREATE TABLE alert_state (
  app INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  digested_through INTEGER NOT NULL,
  rules TEXT NOT NULL -- a fingerprint of the budgets and settings that were evaluated
) STRICT;

CREATE TABLE incident (
  id TEXT PRIMARY KEY,
  app INTEGER NOT NULL,
  key TEXT NOT NULL, -- JSON array: rule, subject, parts of the slice
  state TEXT NOT NULL, -- open, resolved, retired
  severity TEXT NOT NULL, -- info, warning, critical
  condition TEXT NOT NULL, -- of the last evaluation: broken, unclear, recovering, within
  opened INTEGER NOT NULL,
  closed INTEGER,
  closed_because TEXT,
  announced INTEGER, -- when people were last told; NULL while silenced
  evaluated INTEGER NOT NULL,
  last_count INTEGER NOT NULL, -- events behind the last evaluation
  recovering_since INTEGER,
  recovered_count INTEGER NOT NULL, -- events seen since then
  evidence TEXT NOT NULL -- JSON: what people read
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX incident_open ON incident (app, key) WHERE closed IS NULL;

CREATE INDEX incident_opened ON incident (opened);

CREATE TABLE silence (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  app INTEGER, -- NULL: all
  release TEXT, -- NULL: all
  rule TEXT, -- the name of a rule, a metric or a budget as it is written; NULL: all
  starts INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  reason TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

-- Messages, written in the transaction of the transitions they tell of.
CREATE TABLE alert_message (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  settled INTEGER, -- nobody has to be told any more
  body TEXT NOT NULL -- JSON
) STRICT;

CREATE INDEX alert_message_pending ON alert_message (created) WHERE settled IS NULL;

CREATE TABLE alert_delivery (
  message TEXT NOT NULL REFERENCES alert_message (id) ON DELETE CASCADE,
  channel TEXT NOT NULL,
  claimed INTEGER, -- since when somebody is sending it
  delivered INTEGER,
  attempts INTEGER NOT NULL,
  failure TEXT, -- of the last attempt
  failed INTEGER,
  refused INTEGER NOT NULL DEFAULT 0, -- 1: the receiver will never take it
  PRIMARY KEY (message, channel)
) STRICT, WITHOUT ROWID;
