-- Who decided what, and when. Names instead of references: an entry outlives the app and the user it tells of.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL, -- ms since 1970, UTC
  actor_kind TEXT NOT NULL, -- user, token, command
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  app TEXT,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX audit_by_time ON audit (time);
