package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAPauseDoublesWhileTheJudgeStopsAgain(t *testing.T) {
	t.Parallel()
	now, id := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), uuid.New()
	l := leftOut{pauses: map[uuid.UUID]pause{}}
	stop := func() time.Duration {
		l.read(fmt.Appendf(nil, `{"history":"%s/abc"}`, id))
		l.read([]byte(`{"history":"x","rule":"reserve.json"}`)) // a finding is about an earlier call
		got, until := l.add(now)
		if got != id || !l.has(id, until.Add(-1)) || l.has(id, until) {
			t.Errorf("Expected %s to be left out until %s, received %s", id, until, got)
		}
		return until.Sub(now)
	}
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour} {
		took := stop()
		if took != want {
			t.Errorf("Expected a pause of %s, received %s", want, took)
		}
		now = now.Add(took)
	}
	if now = now.Add(2 * time.Hour); stop() != time.Minute {
		t.Error("Expected a pause of a minute after a long time without another")
	}
	if got, _ := l.add(now); got != uuid.Nil {
		t.Errorf("Expected no integration to be left out, received %s", got)
	}
}
