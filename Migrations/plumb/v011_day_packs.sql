-- All series of a slice on one of the last 35 days, from one source, in one row: a payload brings about sixty of them for its
-- cell and for each of six rollups, and a row each costs many times the processor. What a day pack holds stands in neither
-- `cell`, `marginal` nor `daily`: queries add up both. Rollups of older days are unpacked into `marginal`. Packs of rollups
-- have catalogue metrics without labels only.
CREATE TABLE day_pack (
  id       INTEGER PRIMARY KEY, -- slice << 26 | (day + 1048576) << 4 | source: days of a slice follow one another
  received INTEGER NOT NULL,    -- day of the last receipt
  body     BLOB NOT NULL        -- a version byte, then for each series its metric, label and body, sorted
);
