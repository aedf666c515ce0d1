-- By what a sample is found when there are more of one cause than are kept.
ALTER TABLE sample ADD COLUMN signature INTEGER; -- hash of its signature; NULL: kept before there were any

CREATE INDEX sample_signature ON sample (app, signature, received) WHERE signature IS NOT NULL;
