-- The name of the attribute by which an app's data are distinguished; empty without one.
ALTER TABLE app ADD COLUMN attribute TEXT NOT NULL DEFAULT '';
