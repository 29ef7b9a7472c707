-- Prints the file of users for PgBouncer, with the service's SCRAM secret instead of its password. So PgBouncer need not derive
-- a key for each connection, of which there are many after a failover.
SELECT format('"%s" "%s"', rolname, rolpassword) FROM pg_authid WHERE rolname = 'marketplace';
