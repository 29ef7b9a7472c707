//go:build linux

package crash

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cause injects the faults of a plan until ctx ends.
func (s *shop) cause(ctx context.Context, t *testing.T, plan []planned) {
	for _, next := range plan {
		if !wait(ctx, next.after) {
			return
		}
		began := time.Now()
		switch came, err := s.inject(ctx, next); {
		case err != nil:
			t.Errorf("%s: %v", next.fault, err)
			return
		case came:
			s.came.add(next.fault, time.Since(began))
		}
	}
}

// inject injects one fault, from its beginning to its end. It reports whether it had a target.
func (s *shop) inject(ctx context.Context, f planned) (bool, error) {
	switch f.fault {
	case killReplica:
		return s.signalReplica(ctx, f.replica, syscall.SIGKILL, atCommit{}, func() {})
	case pauseReplica:
		return s.signalReplica(ctx, f.replica, syscall.SIGSTOP, atCommit{}, func() { wait(ctx, f.lasts) })
	case pauseSender:
		return s.signalReplica(ctx, f.replica, syscall.SIGSTOP, atCommit{payment: true, replied: true}, func() { wait(ctx, f.lasts) })
	case holdReplies:
		defer s.links[f.replica].hold()()
		wait(ctx, f.lasts)
	case loseReply:
		s.links[f.replica].loses()
	case silenceLink:
		defer s.links[f.replica].silence()()
		wait(ctx, f.lasts)
	case silenceDatabase:
		s.cluster.silenceDatabase(ctx, f.lasts)
	case killDatabase:
		return true, s.cluster.restart(ctx, syscall.SIGKILL, f.lasts)
	case restartDatabase:
		return true, s.cluster.restart(ctx, syscall.SIGINT, f.lasts)
	case standbyAway:
		return true, s.cluster.standbyAway(ctx, f.lasts)
	case promoteStandby:
		return true, s.cluster.promote(ctx, f.lasts)
	case readOnly:
		return true, s.cluster.readOnly(ctx, f.lasts)
	case fullDisk:
		if s.cluster.disks[s.cluster.inCharge.Load()] == nil {
			return false, nil
		}
		return true, s.cluster.fillDisk(ctx, f.lasts)
	}
	return true, nil
}

// aCommit limits a signal's wait for a commit of its replica.
const aCommit = 5 * time.Second

// signalReplica sends a signal to the first serving, unpaused replica from that number on, when
// there is one. If possible, it does so at such a commit of the replica. A stopped replica
// continues after meanwhile.
func (s *shop) signalReplica(ctx context.Context, from int, signal syscall.Signal, at atCommit, meanwhile func()) (bool, error) {
	for i := 0; wait(ctx, 10*time.Millisecond); i++ {
		number := (from + i) % len(s.replicas)
		r := s.replicas[number]
		process := r.take()
		if process == nil {
			continue
		}
		var err error
		within, cancel := context.WithTimeout(ctx, aCommit)
		at.call = func() { err = process.Signal(signal) }
		if !s.links[number].await(within, at) {
			err = process.Signal(signal)
		}
		cancel()
		if meanwhile(); signal == syscall.SIGSTOP {
			err = errors.Join(err, process.Signal(syscall.SIGCONT))
			r.giveBack()
		}
		if errors.Is(err, os.ErrProcessDone) { // the process ended by itself
			err = nil
		}
		return true, err
	}
	return false, nil
}

// faultCounts counts faults by kind.
type faultCounts struct {
	sync.Mutex
	counts map[fault]int
	lasted map[fault]time.Duration
}

func (c *faultCounts) add(f fault, lasted time.Duration) {
	c.Lock()
	defer c.Unlock()
	if c.counts == nil {
		c.counts, c.lasted = map[fault]int{}, map[fault]time.Duration{}
	}
	c.counts[f]++
	c.lasted[f] += lasted
}
