-- Creates Plumb's database and user. Run it on every shard as an administrator (ClickHouse 20 or later; 18.16 has only
-- users.xml):
--   clickhouse-client --multiquery < clickhouse-user.sql
CREATE DATABASE IF NOT EXISTS plumb;
CREATE USER IF NOT EXISTS plumb IDENTIFIED WITH sha256_password BY 'CHANGE-ME';

-- Plumb's tables: facts, all_facts, plumb_migrations, and door_… for inserting blocks.
GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, DROP TABLE, DROP VIEW, ALTER DELETE ON plumb.* TO plumb;
-- Queries to the other shards.
GRANT REMOTE ON *.* TO plumb;
-- Information about the server: its tables, parts, mutations and the cluster.
GRANT SELECT ON system.tables TO plumb;
GRANT SELECT ON system.columns TO plumb;
GRANT SELECT ON system.parts TO plumb;
GRANT SELECT ON system.mutations TO plumb;
GRANT SELECT ON system.clusters TO plumb;
