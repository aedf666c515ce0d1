-- An app may have several attributes. A cell with values of several refers to a set: a row of `attribute` with an empty
-- name, whose value is the ids of its members, ascending and separated by commas. Rollups refer to single values.
CREATE TABLE attribute_member (
  attribute_set INTEGER NOT NULL,
  attribute     INTEGER NOT NULL,
  PRIMARY KEY (attribute_set, attribute)
) WITHOUT ROWID;
CREATE INDEX attribute_member_value ON attribute_member (attribute);

CREATE TRIGGER attribute_set_deleted AFTER DELETE ON attribute WHEN old.name = '' BEGIN
  DELETE FROM attribute_member WHERE attribute_set = old.id;
END;
