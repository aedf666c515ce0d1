-- Sessions with a hang among those of the row. NULL where some of the row's sessions are no longer stored, so that it is
-- not known how many had one.
ALTER TABLE session_age ADD COLUMN hung INTEGER;

UPDATE session_age SET hung = stored.hung FROM (
  SELECT slice.environment AS environment, slice.release AS release, session.minute / 1440 AS day,
    slice.class AS class, session.age AS age, session.source AS source, count(*) AS sessions,
    sum(session.outcome >= 8) AS hung
  FROM session JOIN slice ON slice.id = session.cell WHERE session.age IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6
) AS stored
WHERE stored.environment = session_age.environment AND stored.release = session_age.release
  AND stored.day = session_age.day AND stored.class = session_age.class AND stored.age = session_age.age
  AND stored.source = session_age.source AND stored.sessions = session_age.sessions;
