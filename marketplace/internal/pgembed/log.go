//go:build unix

package pgembed

import (
	"errors"
	"fmt"
	"os"
)

// largestLog is how long the log may be at a start, in bytes; a longer one is kept
// once, as postgresql.log.old.
const largestLog = 16 << 20

// openLog opens PostgreSQL's log, which is the service's own file.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > largestLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("put PostgreSQL's long log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL's log: %w", err)
	}
	return file, nil
}

// tail is how much of the log's end is looked at, in bytes.
const tail = 4 << 10

// lastLine returns the last line of the log, and where the others are.
func lastLine(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	defer file.Close()
	end := make([]byte, tail)
	size, err := file.Seek(0, 2)
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	read, err := file.ReadAt(end[:min(size, tail)], max(0, size-tail))
	if err != nil && !errors.Is(err, os.ErrClosed) && read == 0 {
		return "see " + path
	}
	return lastOf(string(end[:read])) + " (see " + path + ")"
}
