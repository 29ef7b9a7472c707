package pgtest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/postgres"
)

// Cost is what something has cost so far.
type Cost struct {
	CPU time.Duration // of this process and of the database's
	WAL int64         // bytes
}

// Minus returns the cost since an earlier time.
func (c Cost) Minus(earlier Cost) Cost { return Cost{c.CPU - earlier.CPU, c.WAL - earlier.WAL} }

// CostOf returns the cost so far. Unlike the time that passes, it hardly depends on what else the
// machine does. It needs Linux's /proc; elsewhere no processor time is counted.
func CostOf(t testing.TB, store *postgres.Store) (c Cost) {
	t.Helper()
	rows, err := store.Pool().Query(t.Context(), `SELECT pid FROM pg_stat_activity`)
	errtest.Check(t, err)
	processes, err := pgx.CollectRows(rows, pgx.RowTo[int])
	errtest.Check(t, err)
	for _, pid := range append(processes, os.Getpid()) {
		c.CPU += processTime(pid)
	}
	errtest.Check(t, store.Pool().QueryRow(t.Context(), `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn`).Scan(&c.WAL))
	return c
}

// processTime returns a process's user and system time. Linux counts it in hundredths of a second.
func processTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // it has ended
	}
	var user, system int64
	_, after, _ := strings.Cut(string(stat), ") ") // the name may contain spaces
	if _, err := fmt.Sscanf(after, "%s %d %d %d %d %d %d %d %d %d %d %d %d", new(string), new(int), new(int), new(int), new(int), new(int), new(int64), new(int64), new(int64), new(int64), new(int64), &user, &system); err != nil {
		return 0
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
