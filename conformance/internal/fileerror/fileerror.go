// Package fileerror returns the reasons of file errors, for messages that name the file themselves.
package fileerror

import (
	"errors"
	"io/fs"
	"os"
)

// Reason returns a file error without the operation and the path.
func Reason(err error) error {
	if inPath, ok := errors.AsType[*fs.PathError](err); ok {
		return inPath.Err
	}
	if inLink, ok := errors.AsType[*os.LinkError](err); ok {
		return inLink.Err
	}
	return err
}
