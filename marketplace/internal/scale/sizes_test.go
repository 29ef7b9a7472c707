package scale

import (
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// weigh logs what a marketplace of that size takes on disk and in a backup.
func (m *market) weigh(b *testing.B, size int, database string) {
	b.Helper()
	rows, err := m.store.Pool().Query(b.Context(), `
		SELECT relname, pg_total_relation_size(oid), greatest(reltuples, 1)::bigint FROM pg_class WHERE relkind = 'r' ORDER BY 2 DESC LIMIT 5`)
	check(b, err)
	var table string
	var bytes, count int64
	_, err = pgx.ForEachRow(rows, []any{&table, &bytes, &count}, func() error {
		b.Logf("%5d partners: %-20s %6d MiB, %5d bytes for each of %d rows", size, table, bytes>>20, bytes/count, count)
		return nil
	})
	check(b, err)
	program, err := exec.LookPath("pg_dump")
	if err != nil {
		b.Logf("%5d partners: no backup was measured: %v", size, err)
		return
	}
	began, written := time.Now(), counter(0)
	dump := exec.CommandContext(b.Context(), program, "--format=custom", database)
	dump.Stdout, dump.Stderr = &written, b.Output()
	check(b, dump.Run())
	b.Logf("%5d partners: a backup has %d MiB, and takes %s", size, written>>20, time.Since(began).Round(time.Millisecond))
}

// counter counts what is written.
type counter int64

func (c *counter) Write(text []byte) (int, error) {
	*c += counter(len(text))
	return len(text), nil
}
