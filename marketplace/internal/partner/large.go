package partner

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"golang.org/x/sync/semaphore"
)

// A few partners may answer with very much at once without the service running out of
// memory: of an answer beyond the usual size the rest is read when there is a place.
const (
	usualAnswer = 8 << 20 // bytes: some 5,000 products
	largeAtOnce = 4
)

// errCrowded says that other large answers were held until the call's time was over.
var errCrowded = errors.New("other large answers were read until the time was over")

// place is that of one call among the large ones, which it has once it needs it.
type place struct {
	of    *semaphore.Weighted
	taken bool
}

func (p *place) take(ctx context.Context) error {
	if p.of.Acquire(ctx, 1) != nil {
		return errCrowded
	}
	p.taken = true
	return nil
}

func (p *place) leave() {
	if p.taken {
		p.of.Release(1)
	}
}

// largeReader reads an answer, and takes a place before it reads beyond the usual size.
type largeReader struct {
	answer io.Reader
	ctx    context.Context
	place  *place
	left   int64 // bytes until then
}

func (r *largeReader) Read(into []byte) (int, error) {
	if r.left <= 0 && !r.place.taken {
		if err := r.place.take(r.ctx); err != nil {
			return 0, err
		}
	}
	n, err := r.answer.Read(into)
	r.left -= int64(n)
	return n, err
}

// packedBadly reports whether an answer could not be unpacked, which is no fault of the
// connection.
func packedBadly(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
