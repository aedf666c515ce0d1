-- What people call an app, and its icon: a PNG, apart from the app's row, which every request reads. The tag is a hash
-- of the icon's bytes, empty without one.
ALTER TABLE app ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE app ADD COLUMN icon_tag TEXT NOT NULL DEFAULT '';

CREATE TABLE app_icon (
  app INTEGER PRIMARY KEY REFERENCES app (id) ON DELETE CASCADE,
  png BLOB NOT NULL
) STRICT;
