-- How many bytes an app has written on a day of UTC, as `rows_written` has its rows.
CREATE TABLE bytes_written (
  day INTEGER NOT NULL,
  app INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, app)
) STRICT, WITHOUT ROWID;
