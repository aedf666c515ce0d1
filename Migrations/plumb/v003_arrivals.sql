-- Sessions by the moment they became known, five minutes a row, kept three days: what burn rates are read from.
CREATE TABLE arrival (
  environment INTEGER NOT NULL,
  start       INTEGER NOT NULL, -- of the receipt, minutes since 1970, UTC
  release     INTEGER NOT NULL,
  seen        INTEGER NOT NULL, -- sessions heard of for the first time
  crashed     INTEGER NOT NULL, -- sessions that turned out to have crashed
  users       BLOB NOT NULL,    -- the set of the users of these crashed sessions
  PRIMARY KEY (environment, start, release)
) WITHOUT ROWID;

CREATE INDEX arrival_start ON arrival (start);
