-- How many rows an app has written on a day of UTC, by weight, so that a restart does not begin the day's budget anew.
CREATE TABLE rows_written (
  day INTEGER NOT NULL,
  app INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (day, app)
) STRICT, WITHOUT ROWID;
