-- Run once on the primary, as postgres: psql --host 127.0.0.1 --port 5000 --username postgres --file database.sql --set password=...
CREATE ROLE marketplace LOGIN PASSWORD :'password';
CREATE DATABASE marketplace OWNER marketplace;
-- A pooler in transaction mode does not pass on the service's settings of a connection.
ALTER ROLE marketplace SET timezone = 'UTC';
ALTER ROLE marketplace SET jit = off;
ALTER ROLE marketplace SET log_error_verbosity = 'terse';
ALTER ROLE marketplace SET log_parameter_max_length = 0;
ALTER ROLE marketplace SET log_parameter_max_length_on_error = 0;
