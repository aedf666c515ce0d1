-- Names of an app's own binaries that are called like ones of Apple's, one a line.
ALTER TABLE app ADD COLUMN own_binaries TEXT NOT NULL DEFAULT '';
