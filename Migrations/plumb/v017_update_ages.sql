-- Which release an installation runs, and since when. The age of its update is told from this.
CREATE TABLE installation (
  environment INTEGER NOT NULL,
  user        INTEGER NOT NULL, -- keyed hash
  release     INTEGER NOT NULL,
  since       INTEGER NOT NULL, -- the start of its first session with the release, in minutes by the app's clocks
  seen        INTEGER NOT NULL, -- day of the last receipt, at most a week behind
  PRIMARY KEY (environment, user)
) WITHOUT ROWID;

-- Installations that were in use before this table existed have not just updated. The release of the latest session is
-- written last.
INSERT OR REPLACE INTO installation (environment, user, release, since, seen)
SELECT slice.environment, session.user, slice.release, min(session.minute), max(session.received)
FROM session JOIN slice ON slice.id = session.cell WHERE session.user IS NOT NULL
GROUP BY slice.environment, session.user, slice.release ORDER BY max(session.minute);

INSERT INTO row_count (app, kind, count)
SELECT environment.app, 4, count(*) FROM installation JOIN environment ON environment.id = installation.environment
GROUP BY environment.app;

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
