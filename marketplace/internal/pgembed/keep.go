package pgembed

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// restartPause is the least time between two restarts.
const restartPause = time.Minute

// Keeper keeps a server running: one that ends by itself is started again, once a minute
// at most. Its address stays the same.
type Keeper struct {
	config  Config
	log     *slog.Logger
	server  *Server // once the loop has ended, its last one; nil where that is down
	running atomic.Bool
	stop    context.CancelFunc
	ended   chan struct{}
}

// Keep keeps a server that was started with that configuration running, until Stop.
func Keep(s *Server, config Config, log *slog.Logger) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{config: config, log: log, server: s, stop: stop, ended: make(chan struct{})}
	k.running.Store(true)
	go k.run(ctx)
	return k
}

// Running reports whether the server runs. It does not while it is being started again.
func (k *Keeper) Running() bool { return k.running.Load() }

// Stop ends the server as Server.Stop does, and starts it no more.
func (k *Keeper) Stop(ctx context.Context) error {
	k.stop()
	select {
	case <-k.ended:
	case <-ctx.Done(): // it is being started: that ends with this process
		return nil
	}
	if k.server == nil {
		return nil
	}
	return k.server.Stop(ctx)
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.ended)
	var last time.Time // when it was started again
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.server.Gone():
		}
		k.running.Store(false)
		k.log.Error("the private PostgreSQL has ended: its folder's postgresql.log says why")
		_ = k.server.Stop(ctx) // it has ended: this frees its folder
		for k.server = nil; k.server == nil; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(last.Add(restartPause))):
			}
			last = time.Now()
			server, err := Start(ctx, k.config)
			if err != nil {
				k.log.Error("the private PostgreSQL does not start", slog.Time("again_at", last.Add(restartPause)), slog.Any("error", err))
				continue
			}
			k.server = server
		}
		k.running.Store(true)
		k.log.Warn("the private PostgreSQL was restarted")
	}
}
