package domain

import (
	"context"
	"time"
)

// MaxStaleness is how old the data of a read may be that need not show the last changes.
const MaxStaleness = 2 * time.Second

type staleKey struct{}

// AllowStale lets reads with a context miss the changes of the last MaxStaleness, but not those that
// were made before the time seen. With the zero time they may miss any of these changes.
func AllowStale(ctx context.Context, seen time.Time) context.Context {
	return context.WithValue(ctx, staleKey{}, seen)
}

// AllowsStale reports whether reads with a context may be stale, and which changes they must show.
func AllowsStale(ctx context.Context) (seen time.Time, allowed bool) {
	seen, allowed = ctx.Value(staleKey{}).(time.Time)
	return seen, allowed
}

// MustShow returns a context whose reads show the changes up to a time, even if they may be stale.
func MustShow(ctx context.Context, seen time.Time) context.Context {
	if before, allowed := AllowsStale(ctx); allowed && before.Before(seen) {
		return AllowStale(ctx, seen)
	}
	return ctx
}
