package pgembed

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// restartPause is the minimum time between restarts.
const restartPause = time.Minute

// Keeper restarts a server that ends by itself, at most once a minute. The server's address does
// not change.
type Keeper struct {
	config  Config
	log     *slog.Logger
	server  *Server // after the loop has ended: its last server, or nil if it is down
	running atomic.Bool
	stop    context.CancelFunc
	ended   chan struct{}
}

// Keep keeps a server running, which was started with that configuration, until Stop.
func Keep(s *Server, config Config, log *slog.Logger) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{config: config, log: log, server: s, stop: stop, ended: make(chan struct{})}
	k.running.Store(true)
	go k.run(ctx)
	return k
}

// IsRunning reports whether the server runs. It does not during a restart.
func (k *Keeper) IsRunning() bool { return k.running.Load() }

// Stop ends the server like Server.Stop and does not restart it.
func (k *Keeper) Stop(ctx context.Context) error {
	k.stop()
	select {
	case <-k.ended:
	case <-ctx.Done(): // a restart in progress ends with this process
		return nil
	}
	if k.server == nil {
		return nil
	}
	return k.server.Stop(ctx)
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.ended)
	var last time.Time // the last restart
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.server.Exited():
		}
		k.running.Store(false)
		k.log.Error("the private PostgreSQL has ended: its folder's postgresql.log says why")
		_ = k.server.Stop(ctx) // it has ended; this releases its folder
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
