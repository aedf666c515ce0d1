-- Identifies the promotion that began the epoch, because two standbys of one primary may both begin the same number.
-- NULL: no promotion, or one by an earlier version.
ALTER TABLE epoch ADD COLUMN promotion TEXT;
