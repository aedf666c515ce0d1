-- The version of all rows, which every change increases, and the version in which each day of an app last changed. Rows
-- in memory are read again only for days that changed since.
CREATE TABLE row_version (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  newest   INTEGER NOT NULL, -- at least the time of the change, in milliseconds since 1970
  all_days INTEGER NOT NULL  -- the last version in which rows of any app and day may have changed
);
INSERT INTO row_version VALUES (1, unixepoch() * 1000, unixepoch() * 1000);
CREATE TABLE day_version (
  app     INTEGER NOT NULL,
  day     INTEGER NOT NULL, -- by the app's clocks, days since 1970
  version INTEGER NOT NULL, -- greater than all_days
  PRIMARY KEY (app, day)
) WITHOUT ROWID;
