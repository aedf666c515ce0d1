-- What was sent under a key, so that one used again for something else is noticed. NULL: not known.
ALTER TABLE receipt ADD COLUMN content INTEGER;
