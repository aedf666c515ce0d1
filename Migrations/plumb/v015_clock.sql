-- The newest plausible time of receipt. Times far beyond it move nothing until the clock is known to be right.
CREATE TABLE clock (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  newest INTEGER NOT NULL -- ms since 1970, UTC
);
INSERT INTO clock SELECT 1, max(last_received) FROM app_state HAVING count(*) > 0;
