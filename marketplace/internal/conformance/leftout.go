package conformance

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
)

// A partner whose calls were judged when the judge stopped is left out for shortestPause, doubling each
// time that this happens again, up to longestPause. Then its calls are judged again.
const (
	shortestPause = time.Minute
	longestPause  = time.Hour
)

// leftOut is the integrations whose calls are not judged for a while.
type leftOut struct {
	mu     sync.Mutex
	judged uuid.UUID // whose calls the judge judges; Nil: unknown
	pauses map[uuid.UUID]pause
}

type pause struct {
	until time.Time
	took  time.Duration
}

// read reads from a line of the judge whose calls it judges next.
func (l *leftOut) read(line []byte) {
	var next struct{ History, Rule string }
	if json.Unmarshal(line, &next) != nil || next.Rule != "" {
		return
	}
	id, err := integrationOf(next.History)
	if err != nil {
		id = uuid.Nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.judged = id
}

// add leaves out the integration whose calls the judge judged when it stopped; uuid.Nil if that is unknown.
func (l *leftOut) add(now time.Time) (id uuid.UUID, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, l.judged = l.judged, uuid.Nil
	if id == uuid.Nil {
		return id, until
	}
	for of, p := range l.pauses { // what has not stopped the judge since
		if now.Sub(p.until) > longestPause {
			delete(l.pauses, of)
		}
	}
	took := min(max(2*l.pauses[id].took, shortestPause), longestPause)
	until = now.Add(took)
	l.pauses[id] = pause{until, took}
	return id, until
}

// has reports whether an integration is left out.
func (l *leftOut) has(id uuid.UUID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.pauses[id].until)
}

// leaveOut leaves out the integration that stopped the judge, and stores that for the operators.
func (j *Judge) leaveOut() {
	id, until := j.leftOut.add(j.config.Now())
	if id == uuid.Nil {
		return
	}
	log := j.config.Log.With(slog.String("integration_id", id.String()))
	log.Warn("the judge of calls to partners stopped while it judged the calls to this one, which are not judged for a while", slog.Time("until", until))
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if err := j.config.Store.KeepPause(ctx, id, until); err != nil {
		log.Warn("that calls to a partner are not judged was not stored", slog.Any("error", err))
	}
}
