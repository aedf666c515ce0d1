-- The size of the data folder on each of the last days, from which the days until the disk is full are estimated.
CREATE TABLE folder_size (
  day   INTEGER PRIMARY KEY, -- days since 1970, UTC
  bytes INTEGER NOT NULL
) WITHOUT ROWID;

-- For how many days data are complete, as the last compaction left them. Without a row: the default of the version.
CREATE TABLE retention (
  kind    TEXT PRIMARY KEY, -- fine, daily
  days    INTEGER NOT NULL,
  updated INTEGER NOT NULL  -- day of the last change, since 1970
) WITHOUT ROWID;
