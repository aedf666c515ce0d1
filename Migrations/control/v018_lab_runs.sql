-- Runs of performance tests on build machines. Rows are never changed, only added, and deleted when they expire.
CREATE TABLE lab_run (
  id INTEGER PRIMARY KEY,
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  digest BLOB NOT NULL, -- SHA-256 of the measurements and all names
  version TEXT NOT NULL,
  revision TEXT NOT NULL, -- the commit
  branch TEXT NOT NULL, -- empty: the main line
  runner TEXT NOT NULL,
  imported INTEGER NOT NULL, -- ms since 1970, UTC
  size INTEGER NOT NULL, -- bytes of texts and measurements
  UNIQUE (app, digest)
) STRICT;
CREATE INDEX lab_run_by_time ON lab_run (app, imported);

CREATE TABLE lab_series (
  run INTEGER NOT NULL REFERENCES lab_run (id) ON DELETE CASCADE,
  place INTEGER NOT NULL, -- in its file
  test TEXT NOT NULL,
  metric TEXT NOT NULL,
  title TEXT NOT NULL,
  device TEXT NOT NULL,
  unit TEXT NOT NULL,
  direction TEXT NOT NULL, -- lower or higher is better
  counterpart TEXT, -- the metric of the field; null: none
  measurements BLOB NOT NULL, -- binary64, little endian
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX lab_series_by_counterpart ON lab_series (counterpart, run) WHERE counterpart IS NOT NULL;
