//go:build linux

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fault is a kind of fault.
type fault string

const (
	killReplica     fault = "replica killed (SIGKILL)"
	pauseReplica    fault = "replica paused (SIGSTOP)"
	holdReplies     fault = "database's replies to a replica held back"
	loseReply       fault = "reply to a commit lost"
	silenceLink     fault = "a replica's database silent"
	silenceDatabase fault = "database silent for all"
	killDatabase    fault = "PostgreSQL killed (SIGKILL)"
	restartDatabase fault = "PostgreSQL restarted"
	standbyAway     fault = "standby away: commits wait"
	promoteStandby  fault = "standby promoted after the primary was killed"
	readOnly        fault = "database read-only"
	fullDisk        fault = "database's disk full"
)

// lane is a sequence of faults, one at a time. Several lanes run side by side.
type lane struct {
	deck  []dealt       // is shuffled, and played again and again
	every time.Duration // from the end of one fault to the beginning of the next
	most  int           // faults; 0: as many as there is time for
}

// dealt is a fault with how long it lasts.
type dealt struct {
	fault
	least, most time.Duration
}

// strike is a fault as it comes: how long after the one before, for how long, and upon
// which replica first.
type strike struct {
	fault
	after, lasts time.Duration
	replica      int
}

// shortLanes are the faults of the short form: few, with short pauses.
func shortLanes() []lane {
	return []lane{
		{deck: []dealt{{fault: killReplica}}, every: 1500 * time.Millisecond, most: 2},
		{deck: []dealt{{fault: killDatabase}}, every: 2400 * time.Millisecond, most: 1},
		{deck: []dealt{{fault: loseReply}}, every: 400 * time.Millisecond, most: 4},
		{deck: []dealt{{pauseReplica, time.Second, 2 * time.Second}, {holdReplies, time.Second, time.Second}}, every: 400 * time.Millisecond, most: 2},
	}
}

// longLanes are all faults.
func longLanes() []lane {
	const s = time.Second
	return []lane{
		{deck: []dealt{{fault: killReplica}}, every: 5 * s},
		{deck: []dealt{{fault: loseReply}}, every: 2 * s},
		{deck: []dealt{{pauseReplica, 10 * s, 90 * s}}, every: 5 * s},
		{deck: []dealt{{holdReplies, 20 * s, 60 * s}, {silenceLink, 10 * s, 30 * s}}, every: 5 * s},
		{deck: []dealt{
			{fault: killDatabase}, {restartDatabase, 0, 5 * s}, {standbyAway, 5 * s, 20 * s}, {promoteStandby, s, 6 * s},
			{readOnly, 5 * s, 20 * s}, {fullDisk, 5 * s, 20 * s}, {silenceDatabase, 10 * s, 25 * s},
		}, every: 5 * s},
	}
}

// plan is what strikes in a lane while the customers come, as the seed has it.
func (l lane) plan(random *rand.Rand, storm time.Duration) (list []strike) {
	var hand []dealt
	for at := time.Duration(0); l.most == 0 || len(list) < l.most; {
		if len(hand) == 0 {
			hand = append(hand, l.deck...)
			random.Shuffle(len(hand), func(i, j int) { hand[i], hand[j] = hand[j], hand[i] })
		}
		next := hand[0]
		hand = hand[1:]
		lasts := min(next.least+time.Duration(random.Int64N(int64(next.most-next.least)+1)), storm/3)
		if at += l.every + lasts; at > storm && l.most == 0 {
			return list
		}
		list = append(list, strike{next.fault, l.every, lasts, random.IntN(3)})
	}
	return list
}

// play has a lane's faults come, until the customers have stopped to.
func (s *shop) play(ctx context.Context, t *testing.T, strikes []strike) {
	for _, next := range strikes {
		if !wait(ctx, next.after) {
			return
		}
		began := time.Now()
		switch struck, err := s.strike(ctx, next); {
		case err != nil:
			t.Errorf("%s: %v", next.fault, err)
			return
		case struck:
			s.struck.add(next.fault, time.Since(began))
		}
	}
}

// strike is one fault, from its beginning to its end. It reports whether there was
// something for it to come upon.
func (s *shop) strike(ctx context.Context, f strike) (bool, error) {
	switch f.fault {
	case killReplica:
		return s.signalReplica(f.replica, syscall.SIGKILL, func() {})
	case pauseReplica:
		return s.signalReplica(f.replica, syscall.SIGSTOP, func() { wait(ctx, f.lasts) })
	case holdReplies:
		defer s.cluster.links[f.replica].hold()()
		wait(ctx, f.lasts)
	case loseReply:
		s.cluster.links[f.replica].loses()
	case silenceLink:
		defer s.cluster.links[f.replica].silence()()
		wait(ctx, f.lasts)
	case silenceDatabase:
		s.cluster.silent(ctx, f.lasts)
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
		return true, s.cluster.full(ctx, f.lasts)
	}
	return true, nil
}

// signalReplica sends a signal to the first replica from that number on that serves and is not
// paused. One that is stopped goes on after meanwhile.
func (s *shop) signalReplica(from int, signal syscall.Signal, meanwhile func()) (bool, error) {
	for i := range s.replicas {
		r := s.replicas[(from+i)%len(s.replicas)]
		process := r.take(signal == syscall.SIGSTOP)
		if process == nil {
			continue
		}
		err := process.Signal(signal)
		if meanwhile(); signal == syscall.SIGSTOP {
			err = errors.Join(err, process.Signal(syscall.SIGCONT))
			r.resumes()
		}
		if errors.Is(err, os.ErrProcessDone) { // it has ended by itself
			err = nil
		}
		return true, err
	}
	return false, nil
}

// tally counts faults by kind.
type tally struct {
	sync.Mutex
	counts map[fault]int
	lasted map[fault]time.Duration
}

func (c *tally) add(f fault, lasted time.Duration) {
	c.Lock()
	defer c.Unlock()
	if c.counts == nil {
		c.counts, c.lasted = map[fault]int{}, map[fault]time.Duration{}
	}
	c.counts[f]++
	c.lasted[f] += lasted
}

func (c *tally) String() string { return fmt.Sprint(c.counts) }
