-- Blocks of changes on their way to the store that has the rows, each written in the transaction that made it.
CREATE TABLE outbox (
  -- Counts without gaps, and is never used again.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Drawn for the block, so that a copy of this database that makes other blocks of the same numbers is noticed.
  nonce  INTEGER NOT NULL,
  -- The server that the block is sent to, from before the first attempt on; NULL before.
  shard  TEXT,
  -- When the block was known to be stored, in milliseconds since 1970; NULL before. It is kept for a while, because a
  -- server may lose its last parts in a power cut.
  stored INTEGER,
  -- The block as a zstd frame, and its size before.
  size   INTEGER NOT NULL,
  block  BLOB NOT NULL
);

CREATE INDEX outbox_stored ON outbox (stored, number);

-- The name under which the ledger's blocks are stored: 16 hexadecimal digits, made with the table.
CREATE TABLE ledger (node TEXT NOT NULL);
INSERT INTO ledger (node) VALUES (lower(hex(randomblob(8))));
