-- Apps that sent more than their share of the digest: records up to `sequence` are applied, those behind it up to the
-- watermark wait for their turn.
CREATE TABLE behind (
  node     TEXT NOT NULL,
  app      INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (node, app)
) WITHOUT ROWID;

-- Records that ended the process, or that the store refused, as they came.
CREATE TABLE quarantine (
  node      TEXT NOT NULL,
  sequence  INTEGER NOT NULL,
  app       INTEGER,          -- NULL when the record does not say
  received  INTEGER NOT NULL, -- ms since 1970, UTC
  set_aside INTEGER NOT NULL, -- ms since 1970, UTC
  reason    TEXT NOT NULL,
  record    BLOB NOT NULL,
  UNIQUE (node, sequence)
);

-- A user's sessions of a day are summed without reading them: the index has all that is summed.
DROP INDEX session_user_day;
CREATE INDEX session_user_day ON session (app, user, minute, cell, source, outcome) WHERE user IS NOT NULL;
