-- The database and the user of Plumb, on every shard, as an administrator (from ClickHouse 20 on; 18.16 has users.xml only):
--   clickhouse-client --multiquery < clickhouse-user.sql
CREATE DATABASE IF NOT EXISTS plumb;
CREATE USER IF NOT EXISTS plumb IDENTIFIED WITH sha256_password BY 'CHANGE-ME';

-- Its tables: facts, all_facts, plumb_migrations, and door_… through which blocks go.
GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, DROP TABLE, DROP VIEW, ALTER DELETE ON plumb.* TO plumb;
-- Asking the other shards.
GRANT REMOTE ON *.* TO plumb;
-- What it reads of the server: its tables, parts, mutations and the cluster.
GRANT SELECT ON system.tables TO plumb;
GRANT SELECT ON system.columns TO plumb;
GRANT SELECT ON system.parts TO plumb;
GRANT SELECT ON system.mutations TO plumb;
GRANT SELECT ON system.clusters TO plumb;
