-- What was set aside, as it was: records, and now also damaged rows and records that are lost. `count`: how many records or
-- rows an entry stands for. `place`: the table and key of a row; '' for records.
CREATE TABLE quarantine_v012 (
  node      TEXT,             -- NULL for a row
  sequence  INTEGER NOT NULL, -- of the record; 0 for a row
  app       INTEGER,          -- NULL when it is not known
  received  INTEGER NOT NULL, -- ms since 1970, UTC; 0 when it is not known
  set_aside INTEGER NOT NULL, -- ms since 1970, UTC
  reason    TEXT NOT NULL,
  record    BLOB NOT NULL,
  count     INTEGER NOT NULL DEFAULT 1,
  place     TEXT NOT NULL DEFAULT '',
  UNIQUE (node, sequence)
);
INSERT INTO quarantine_v012 (node, sequence, app, received, set_aside, reason, record)
SELECT node, sequence, app, received, set_aside, reason, record FROM quarantine ORDER BY rowid;
DROP TABLE quarantine;
ALTER TABLE quarantine_v012 RENAME TO quarantine;
