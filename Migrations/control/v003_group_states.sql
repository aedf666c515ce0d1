-- What people said about groups of diagnostics. A group without a row is open.
CREATE TABLE group_state (
  app INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  state TEXT NOT NULL, -- resolved, ignored
  release TEXT, -- where it was resolved
  changed INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (app, fingerprint)
) STRICT, WITHOUT ROWID;
