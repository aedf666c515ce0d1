-- An incident is what broke in one release or theme of an app; its parts are breaches. An incident from before becomes one
-- with a single breach; open ones of the same release or theme are joined by the next evaluation, which tells receivers.
ALTER TABLE incident ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE incident ADD COLUMN breaches TEXT NOT NULL DEFAULT '[]'; -- JSON array of objects

UPDATE incident SET
  title = json_extract(evidence, '$.summary'),
  breaches = json_array(json_object(
    'key', json(key), 'state', state, 'severity', severity, 'condition', condition, 'since', opened, 'opened', opened,
    'announced', announced, 'closed', closed, 'closedBecause', closed_because, 'lastCount', last_count,
    'recoveringSince', recovering_since, 'recoveredCount', recovered_count,
    'headline', json_extract(evidence, '$.summary'), 'summary', json_extract(evidence, '$.summary'),
    'facts', json(json_extract(evidence, '$.facts')), 'advice', json_extract(evidence, '$.advice')));

-- The key: theme, environment, version. What it was is in the breach.
DROP INDEX incident_open;
UPDATE incident SET key = CASE
  WHEN json_extract(key, '$[0]') IN ('stale', 'missing') THEN json_array('data', NULL, NULL)
  WHEN json_extract(key, '$[0]') IN ('evaluation', 'digest', 'quarantine', 'space')
    THEN json_array(json_extract(key, '$[0]'), NULL, NULL)
  WHEN json_extract(key, '$[0]') IN ('new_group', 'group_spike') THEN json_array('release', json_extract(key, '$[2]'),
    substr(json_extract(key, '$[1]'), instr(json_extract(key, '$[1]'), ' ') + 1))
  WHEN json_extract(key, '$[3]') IS NULL THEN json_array('app', json_extract(key, '$[2]'), NULL)
  WHEN json_extract(key, '$[3]') LIKE '% (%)' THEN json_array('release', json_extract(key, '$[2]'),
    substr(json_extract(key, '$[3]'), 1, instr(json_extract(key, '$[3]'), ' (') - 1))
  ELSE json_array('release', json_extract(key, '$[2]'), json_extract(key, '$[3]'))
END;
CREATE INDEX incident_open ON incident (app) WHERE closed IS NULL;

ALTER TABLE incident DROP COLUMN severity;
ALTER TABLE incident DROP COLUMN condition;
ALTER TABLE incident DROP COLUMN announced;
ALTER TABLE incident DROP COLUMN last_count;
ALTER TABLE incident DROP COLUMN recovering_since;
ALTER TABLE incident DROP COLUMN recovered_count;
ALTER TABLE incident DROP COLUMN evidence;

ALTER TABLE silence ADD COLUMN incident TEXT; -- the id of the only incident that is silenced; NULL: all
