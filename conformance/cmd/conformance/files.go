package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

// prepareFolder makes the folder for the reports and tries to write into it.
func prepareFolder(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var trial *os.File
		if trial, err = os.CreateTemp(dir, ".trial-*"); err == nil {
			err = errors.Join(trial.Close(), os.Remove(trial.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("--report-dir %s cannot be written (%w): name another folder", dir, reason(err))
	}
	return nil
}

// reason leaves out the operation and the path of a file error, which the
// message around it names.
func reason(err error) error {
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
