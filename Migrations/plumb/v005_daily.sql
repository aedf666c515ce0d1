-- What the fine rows of `marginal` add up to, a row a day: pages read these instead of them. What `marginal` holds by the day
-- stands there only. Derived from `marginal` and filled when it is empty.
CREATE TABLE daily (
  slice      INTEGER NOT NULL,
  metric     INTEGER NOT NULL,
  start      INTEGER NOT NULL, -- minutes since 1970 by the app's clocks: the day's first
  resolution INTEGER NOT NULL, -- 0 day
  label      INTEGER NOT NULL,
  source     INTEGER NOT NULL,
  received   INTEGER NOT NULL,
  body       BLOB NOT NULL,
  PRIMARY KEY (slice, metric, start, resolution, label, source)
) WITHOUT ROWID;
