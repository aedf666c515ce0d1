-- What App Store Connect says of an app besides its figures: goals, insights and signatures, one JSON object each.
CREATE TABLE app_store_note (
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, -- goal, insight or signature
  category TEXT NOT NULL, -- Apple's category of metrics, or the kind of a signature
  key TEXT NOT NULL,
  body TEXT NOT NULL, -- JSON
  place INTEGER NOT NULL, -- the place in its document, which has the most important first
  imported INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (app, kind, category, key)
) STRICT, WITHOUT ROWID;

-- The shares of a figure by subsystem, a JSON array; empty: none.
ALTER TABLE app_store_figure ADD COLUMN parts TEXT NOT NULL DEFAULT '';
