-- A token either reads or uploads symbols, never both: what CI holds shows nobody a number.
ALTER TABLE read_token ADD COLUMN uploads INTEGER NOT NULL DEFAULT 0;
