package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"partnerkit.dev/conformance/internal/fileerror"
)

// PrepareFolder creates the folder for the reports and checks that it is writable. A folder with
// the usual name, which the user did not choose, must not be a symbolic link: one in a cloned
// repository could lead anywhere.
func PrepareFolder(dir, usual string) error {
	if info, err := os.Lstat(dir); err == nil && dir == usual && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("the report folder %s is a symbolic link: set --report-dir to the folder that it points to", dir)
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var trial *os.File
		if trial, err = os.CreateTemp(dir, ".trial-*"); err == nil {
			err = errors.Join(trial.Close(), os.Remove(trial.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("--report-dir %s cannot be written (%w): name another folder", dir, fileerror.Reason(err))
	}
	return nil
}
