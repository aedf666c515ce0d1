-- Which records a request with an idempotency key became, so that they can be deleted by it. NULL: from before.
ALTER TABLE receipt ADD COLUMN through INTEGER;
ALTER TABLE receipt ADD COLUMN count INTEGER;
