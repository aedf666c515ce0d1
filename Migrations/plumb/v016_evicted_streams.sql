-- Up to which start an app's streams were forgotten. A stream that began no later may have been counted before, so its next
-- value is the one from which increases are counted.
CREATE TABLE stream_eviction (
  app   INTEGER PRIMARY KEY,
  start INTEGER NOT NULL -- ms since 1970, UTC
);
