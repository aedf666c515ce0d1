-- Everything that nodes count, in one table, so that a batch of a node is one block of one partition: stored whole or not
-- at all. kind: 0 for a mark, else FactScope.Kind. Columns that a kind does not use are empty.
--
-- part: the week in which a batch was received, counted from 1970, by which old rows are deleted.
-- attribute, value: the name of an app's attribute and a value of it.
-- variant: unit and kind of an app's own metric; 0 for a metric of the catalogue.
-- form: FactSums.Form or, of a row that stands for a user, UserForm. user, rank: the user's hash, and the zeros at the
-- beginning of it that a sketch goes by.
-- n: of a user 1 or -1, whether one becomes a member of the row's set or is one no longer; else the number of rows.
-- node, number, user: of a mark, which block of which ledger is stored, and a number drawn for the block; in other rows
-- node is empty.
-- low, high, coarse: the least and greatest value of a distribution, and how coarse its spans are.
-- entryMap: the numbers of an aggregate under keys; FactSums has their meaning. Numbers of one key are added up. The names
-- must end in Map and Key: SummingMergeTree goes by them.
CREATE TABLE IF NOT EXISTS facts (
  part UInt32,
  kind UInt8,
  app Int64,
  environment String,
  metric String,
  variant UInt16,
  label String,
  source UInt8,
  start Int32,
  resolution UInt8,
  form UInt8,
  version String,
  build String,
  os String,
  model String,
  class String,
  attribute String,
  value String,
  user UInt64,
  rank UInt8,
  node String,
  number Int64,
  n Int64,
  low AggregateFunction(min, Float64),
  high AggregateFunction(max, Float64),
  coarse AggregateFunction(max, Float64),
  entryMap Nested(lowKey UInt64, highKey UInt64, sum Int64)
) ENGINE = SummingMergeTree()
PARTITION BY part
ORDER BY (
  kind, app, environment, metric, variant, label, source, start, resolution, form, version, build, os, model, class,
  attribute, value, user, rank, node, number
)
