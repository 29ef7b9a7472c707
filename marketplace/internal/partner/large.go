package partner

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
)

// A few partners may answer with very much at once without the service running out of
// memory: of an answer beyond the usual size the rest is read when it is its turn.
const (
	usualAnswer = 8 << 20 // bytes: some 5,000 products
	largeAtOnce = 4
)

// errCrowded says that other large answers were held until the call's time was over.
var errCrowded = errors.New("other large answers were read until the time was over")

// turn is that of one call among the large ones, which it has once it needs it.
type turn struct {
	of    chan struct{}
	taken bool
}

func (t *turn) take(ctx context.Context) error {
	select {
	case t.of <- struct{}{}:
		t.taken = true
		return nil
	case <-ctx.Done():
		return errCrowded
	}
}

func (t *turn) leave() {
	if t.taken {
		<-t.of
	}
}

// turnstile reads an answer, and takes its turn before it reads beyond the usual size.
type turnstile struct {
	answer io.Reader
	ctx    context.Context
	turn   *turn
	left   int64 // bytes until then
}

func (t *turnstile) Read(into []byte) (int, error) {
	if t.left <= 0 && !t.turn.taken {
		if err := t.turn.take(t.ctx); err != nil {
			return 0, err
		}
	}
	n, err := t.answer.Read(into)
	t.left -= int64(n)
	return n, err
}

// packedBadly reports whether an answer could not be unpacked, which is no fault of the
// connection.
func packedBadly(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
