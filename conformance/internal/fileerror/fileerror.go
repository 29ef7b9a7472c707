// Package fileerror says what went wrong with a file, for messages that name the file
// themselves.
package fileerror

import (
	"errors"
	"io/fs"
	"os"
)

// Reason leaves out the operation and the path of a file error.
func Reason(err error) error {
	if inPath, ok := errors.AsType[*fs.PathError](err); ok {
		return inPath.Err
	}
	if inLink, ok := errors.AsType[*os.LinkError](err); ok {
		return inLink.Err
	}
	return err
}
