-- Entries that editors cause are bounded for each actor.
CREATE INDEX audit_decisions ON audit (actor_kind, actor, id)
WHERE (substr(action, 1, 6) IN ('group.', 'silenc') OR (action = 'user.logout' AND lower(subject) = lower(actor)));

-- Silences are counted for each app, and deleted some time after they ended.
CREATE INDEX silence_by_app ON silence (app, ends);
CREATE INDEX silence_by_end ON silence (ends);
