-- The update that named a session's user, where it is not the winning one: NULL when it is, or when nobody did.
ALTER TABLE session ADD COLUMN user_grade INTEGER;    -- 2: crashed, 1: its number was explicit, or their sum
ALTER TABLE session ADD COLUMN user_sequence INTEGER;
