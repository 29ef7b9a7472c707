package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sharedMode is how queries are sent to a pooler, which may use another connection of the server for
// each transaction: without prepared statements, but with the same types of parameters.
const sharedMode = pgx.QueryExecModeCacheDescribe

// newConfig returns the configuration of a store's connections.
func newConfig(address string, o Options) (*pgxpool.Config, error) {
	config, err := configOf(address)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.Tracer = multitracer.New(o.Tracers...)
	if o.Dial != nil {
		config.ConnConfig.DialFunc = o.Dial
	}
	return config, nil
}

// openPool returns a pool that has reached the database. It finds out whether there is a pooler in
// between.
func openPool(ctx context.Context, address string, o Options) (*pgxpool.Pool, error) {
	config, err := newConfig(address, o)
	if err != nil {
		return nil, err
	}
	config.MaxConns = o.Connections
	config.PingTimeout = o.Patience / 2
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, &unreachable{err}
	}
	shared, err := isShared(withoutTimeout(ctx), pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	if !shared || config.ConnConfig.DefaultQueryExecMode == sharedMode {
		return pool, nil
	}
	pool.Close()
	config.ConnConfig.DefaultQueryExecMode = sharedMode
	config.AfterConnect = readUTC // a statement for each of many connections would delay the return after a failover
	if pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, &unreachable{err}
	}
	return pool, nil
}

// isShared reports whether there is a pooler between the service and the database: the process that
// answers is not the one that the connection announced. A pooler must use UTC, because the
// settings of a connection may not reach the server.
func isShared(ctx context.Context, pool *pgxpool.Pool) (shared bool, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return false, &unreachable{err}
	}
	defer conn.Release()
	var process uint32
	var zone string
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid(), current_setting('TimeZone')`, sharedMode).Scan(&process, &zone); err != nil {
		return false, &unreachable{err}
	}
	shared = process != conn.Conn().PgConn().PID()
	if shared && !slices.Contains(zonesOfUTC, zone) {
		return true, fmt.Errorf("the pooler uses the time zone %s instead of UTC: run ALTER ROLE ... SET timezone = 'UTC' for the service's user", zone)
	}
	return shared, nil
}

// zonesOfUTC are the names of UTC that servers are set up with.
var zonesOfUTC = []string{"UTC", "Etc/UTC", "GMT", "Etc/GMT"}

// newSessions returns a pool that opens connections for sessions. They are taken out of the pool, so
// its size does not limit them.
func newSessions(ctx context.Context, address string, o Options) (*pgxpool.Pool, error) {
	config, err := newConfig(address, o)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 1
	return pgxpool.NewWithConfig(ctx, config)
}

// hearTime limits how long a notification may take.
const hearTime = 10 * time.Second

// ErrDeaf says that a connection receives no notifications, and what to do.
var ErrDeaf = errors.New("notifications do not arrive: expected an address of the same database that is PostgreSQL's own, or that of a pooler in session mode")

// CheckListening returns ErrDeaf if a connection to the address listen, or to the database's for "",
// does not receive the notifications of the database. Without a pooler and a separate address it
// always does, and nothing is sent.
func CheckListening(ctx context.Context, address, listen string) error {
	notifying, err := newSessions(ctx, address, Options{})
	if err != nil {
		return err
	}
	defer notifying.Close()
	shared, err := isShared(ctx, notifying)
	if err != nil || !shared && listen == "" {
		return err
	}
	sessions, err := newSessions(ctx, cmp.Or(listen, address), Options{})
	if err != nil {
		return err
	}
	defer sessions.Close()
	session, err := sessions.Acquire(ctx)
	if err != nil {
		return &unreachable{err}
	}
	conn := session.Hijack() // it is closed, so that nothing else receives what it listens to
	defer closeSoon(conn)
	name := pgx.Identifier{"listening_" + uuid.NewString()}.Sanitize()
	if _, err := conn.Exec(ctx, "LISTEN "+name); err != nil {
		return err
	}
	if _, err := notifying.Exec(ctx, "NOTIFY "+name); err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	if _, err = conn.WaitForNotification(bound); err != nil && ctx.Err() == nil && bound.Err() != nil {
		return ErrDeaf
	}
	return err
}
