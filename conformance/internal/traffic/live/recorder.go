package live

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/recording"
)

// Recorder appends calls to a file, one per line, as entries of an HTTP archive, without keys and
// customers' data. What was written is also readable after a crash: a compressed file consists of
// complete parts.
type Recorder struct {
	file    *os.File
	packed  bool
	pending bytes.Buffer
	calls   int64
	written atomic.Int64 // calls written
	failed  atomic.Int64 // calls that could not be written
	wrong   func(error)  // receives the first of several consecutive failures
	failing bool
}

// Record appends to a file that only its owner may read. If the name ends in .gz, the file is
// compressed. wrong receives an error when the file can no longer be written.
func Record(name string, wrong func(error)) (*Recorder, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fileerror.Reason(err)
	}
	r := &Recorder{file: file, packed: strings.HasSuffix(name, ".gz"), wrong: wrong}
	if err := errors.Join(file.Chmod(0o600), r.trimIncompleteLine()); err != nil {
		return nil, errors.Join(fileerror.Reason(err), file.Close())
	}
	return r, nil
}

// trimIncompleteLine removes an incomplete last line of a stopped process.
func (r *Recorder) trimIncompleteLine() error {
	info, err := r.file.Stat()
	if err != nil || r.packed || !info.Mode().IsRegular() {
		return err
	}
	end := info.Size()
	for piece := make([]byte, 64<<10); end > 0; {
		from := max(0, end-int64(len(piece)))
		n, err := r.file.ReadAt(piece[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := bytes.LastIndexByte(piece[:n], '\n'); at >= 0 {
			return r.file.Truncate(from + int64(at) + 1)
		}
		end = from
	}
	return r.file.Truncate(0)
}

// add adds a call, to be written by flush.
func (r *Recorder) add(x *recording.Exchange, redact func(string) string, keys *anonymize.Pseudonyms) {
	line, err := json.Marshal(anonymize.Entry(&x.Exchange, redact, keys))
	if err != nil { // cannot happen: it has only texts and numbers
		r.fail(1, err)
		return
	}
	r.pending.Write(append(line, '\n'))
	r.calls++
}

// flush writes the added calls.
func (r *Recorder) flush() {
	if r.calls == 0 {
		return
	}
	text := r.pending.Bytes()
	if r.packed {
		var part bytes.Buffer
		packer := gzip.NewWriter(&part)
		_, err := packer.Write(text)
		if err = errors.Join(err, packer.Close()); err != nil {
			r.fail(r.calls, err)
		}
		text = part.Bytes()
	}
	if _, err := r.file.Write(text); err != nil {
		r.fail(r.calls, err)
	} else {
		r.written.Add(r.calls)
		r.failing = false
	}
	r.calls = 0
	if r.pending.Reset(); r.pending.Cap() > largestCopy {
		r.pending = bytes.Buffer{}
	}
}

func (r *Recorder) fail(calls int64, err error) {
	r.failed.Add(calls)
	if !r.failing {
		r.failing = true
		r.wrong(fmt.Errorf("the recording cannot be written (%w): some calls are missing from it", fileerror.Reason(err)))
	}
}

// Close closes the file.
func (r *Recorder) Close() error { return r.file.Close() }
