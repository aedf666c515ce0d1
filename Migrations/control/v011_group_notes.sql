-- What a team writes about groups, and the address of a ticket in its tracker.
ALTER TABLE app ADD COLUMN ticket_url TEXT NOT NULL DEFAULT '';

CREATE TABLE group_note (
  app INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,
  owner TEXT NOT NULL, -- empty: nobody
  note TEXT NOT NULL,
  author TEXT NOT NULL, -- who wrote it last
  changed INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (app, fingerprint)
) STRICT, WITHOUT ROWID;
