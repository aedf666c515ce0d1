-- Receipts are bounded per app: the oldest of an app go first.
DROP INDEX receipt_received;
CREATE INDEX receipt_received ON receipt (app, received);
