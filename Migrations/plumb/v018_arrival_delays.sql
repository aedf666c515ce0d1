-- How many events of a day became known in each step of the day's age. It says how much of a young day is still missing.
CREATE TABLE arrival_delay (
  environment INTEGER NOT NULL,
  day         INTEGER NOT NULL,
  source      INTEGER NOT NULL,
  event       INTEGER NOT NULL, -- sessions, crashes, hangs or payloads
  step        INTEGER NOT NULL, -- an hour at first, a day later
  count       INTEGER NOT NULL,
  PRIMARY KEY (environment, day, source, event, step)
) WITHOUT ROWID;
