-- Which release an installation runs, and since when. The age of its update is told from this.
CREATE TABLE installation (
  environment INTEGER NOT NULL,
  user        INTEGER NOT NULL, -- keyed hash
  release     INTEGER NOT NULL,
  since       INTEGER NOT NULL, -- the start of its first session with the release, in minutes by the app's clocks
  seen        INTEGER NOT NULL, -- day of the last receipt, at most a week behind
  PRIMARY KEY (environment, user)
) WITHOUT ROWID;

-- The age of the installation's update at the start of the session; NULL without an installation.
ALTER TABLE session ADD COLUMN age INTEGER;

-- Sessions by that age, for comparisons of releases.
CREATE TABLE session_age (
  environment INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  day         INTEGER NOT NULL,
  class       TEXT NOT NULL,
  age         INTEGER NOT NULL,
  source      INTEGER NOT NULL,
  sessions    INTEGER NOT NULL,
  crashed     INTEGER NOT NULL,
  PRIMARY KEY (environment, release, day, class, age, source)
) WITHOUT ROWID;
