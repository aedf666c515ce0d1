-- Who may do what. Until now every user could do everything, and tokens read or uploaded.
ALTER TABLE user ADD COLUMN role TEXT; -- on all apps: reader, editor, admin; NULL: only what user_role says
ALTER TABLE user ADD COLUMN identity TEXT; -- of the provider: a hash of issuer and subject
ALTER TABLE user ADD COLUMN provider_roles INTEGER NOT NULL DEFAULT 0; -- 1: every sign-in sets the roles anew
UPDATE user SET role = 'admin';

CREATE UNIQUE INDEX user_by_identity ON user (identity) WHERE identity IS NOT NULL;

CREATE TABLE user_role (
  user TEXT NOT NULL COLLATE NOCASE REFERENCES user (name) ON DELETE CASCADE,
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  PRIMARY KEY (user, app)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_role_by_app ON user_role (app);

ALTER TABLE login ADD COLUMN created INTEGER;
ALTER TABLE login ADD COLUMN last_used INTEGER;
ALTER TABLE login ADD COLUMN client TEXT NOT NULL DEFAULT '';

ALTER TABLE read_token ADD COLUMN rights INTEGER NOT NULL DEFAULT 1; -- the sum of 1 read, 2 upload, 4 edit, 8 delete, 16 admin
ALTER TABLE read_token ADD COLUMN every_app INTEGER NOT NULL DEFAULT 1; -- 0: only the apps of token_app, if any is left
ALTER TABLE read_token ADD COLUMN expires INTEGER;
UPDATE read_token SET rights = 2 WHERE uploads = 1;
ALTER TABLE read_token DROP COLUMN uploads;

CREATE TABLE token_app (
  token INTEGER NOT NULL REFERENCES read_token (id) ON DELETE CASCADE,
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  PRIMARY KEY (token, app)
) STRICT, WITHOUT ROWID;

CREATE INDEX token_app_by_app ON token_app (app);
