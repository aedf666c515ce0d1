-- The values of an app's attribute, such as the arms of an experiment. `name` is the attribute's, as the app's settings had
-- it when the value came. Rows from before have no value.
CREATE TABLE attribute (
  id       INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  name     TEXT NOT NULL,
  value    TEXT NOT NULL,
  uses     REAL NOT NULL DEFAULT 0,
  used_day INTEGER NOT NULL DEFAULT 0, -- days since 1970
  retired  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX attribute_name ON attribute (app, name, value, retired);

-- Kinds as before, and 7: a value of the attribute, 8: release and value, 9: value and class. A cell (6) has a value or 0.
CREATE TABLE slice_v014 (
  id          INTEGER PRIMARY KEY,
  app         INTEGER NOT NULL,
  environment INTEGER NOT NULL,
  kind        INTEGER NOT NULL,
  release     INTEGER NOT NULL,
  os          INTEGER NOT NULL,
  device      INTEGER NOT NULL,
  class       TEXT NOT NULL,
  attribute   INTEGER NOT NULL DEFAULT 0,
  UNIQUE (app, environment, kind, release, os, device, class, attribute)
);
INSERT INTO slice_v014 (id, app, environment, kind, release, os, device, class)
SELECT id, app, environment, kind, release, os, device, class FROM slice;
DROP TABLE slice;
ALTER TABLE slice_v014 RENAME TO slice;
