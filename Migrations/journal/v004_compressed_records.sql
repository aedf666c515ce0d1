-- How the records are kept: 0 as they are, otherwise a zstd frame made with the dictionary of this number.
ALTER TABLE batch ADD COLUMN dictionary INTEGER NOT NULL DEFAULT 0;
