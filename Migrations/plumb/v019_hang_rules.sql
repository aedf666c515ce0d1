-- The rule that classes a hang; see HangRule. NULL for other kinds, and for hangs from before this version, which count
-- as felt.
ALTER TABLE diagnostic ADD COLUMN hang_rule INTEGER;
