-- What teams said of their binaries, as far as groups know it. The choice itself is with the app.
CREATE TABLE own_binary (
  app  INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (app, name)
) WITHOUT ROWID;
