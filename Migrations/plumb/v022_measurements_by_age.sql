-- Measurements by the age of the installation's update, for comparisons of releases. Only clients that state the first
-- run of the release have them.
CREATE TABLE measurement_age (
  environment INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  day         INTEGER NOT NULL,
  class       TEXT NOT NULL,
  age         INTEGER NOT NULL,
  source      INTEGER NOT NULL,
  metric      INTEGER NOT NULL,
  body        BLOB NOT NULL, -- an aggregate, as in `cell`
  PRIMARY KEY (environment, release, day, class, age, source, metric)
) WITHOUT ROWID;
