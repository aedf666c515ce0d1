-- Apple's own numbers of an app, as App Store Connect's power and performance metrics have them.
CREATE TABLE app_store_figure (
  app INTEGER NOT NULL REFERENCES app (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  category TEXT NOT NULL,
  metric TEXT NOT NULL,
  device TEXT NOT NULL,
  percentile TEXT NOT NULL,
  version TEXT NOT NULL,
  device_name TEXT NOT NULL,
  unit TEXT NOT NULL,
  value REAL NOT NULL,
  error_margin REAL, -- null: Apple gives none
  goal TEXT NOT NULL, -- empty: none
  place INTEGER NOT NULL, -- the place in its document, which has versions in their order
  imported INTEGER NOT NULL, -- ms since 1970, UTC
  PRIMARY KEY (app, platform, category, metric, device, percentile, version)
) STRICT, WITHOUT ROWID;
