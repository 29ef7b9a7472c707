//go:build linux

package crash

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// answer is a replica's answer to a customer.
type answer struct {
	what       string
	status     int // 0: no answer
	retryAfter string
	took       time.Duration
}

const (
	// answerLimit limits every answer, whatever fault the database or the partner has. The slowest
	// is a checkout's: 22 s for availability, 10 s to wait before reserve, 10 s for the hold, 20 s
	// to store it, and a few for other statements.
	answerLimit = 75 * time.Second
	// unavailableLimit limits the answer that the database is unavailable: 5 s, and as much again
	// on a busy machine.
	unavailableLimit = 10 * time.Second
)

// problem returns what is wrong with an answer, or "".
func (a answer) problem() string {
	switch {
	case a.status == http.StatusInternalServerError:
		return "not documented"
	case a.status == http.StatusServiceUnavailable && a.retryAfter == "":
		return "without Retry-After"
	}
	return ""
}

// late returns why an answer is too late, or "".
func (a answer) late() string {
	switch {
	case a.took > answerLimit:
		return "too late"
	case a.status == 0 && a.took > time.Second: // a faster failure means that the replica ended before it could be marked
		return "no answer"
	case a.status == http.StatusServiceUnavailable && strings.HasPrefix(a.what, http.MethodGet) && a.took > unavailableLimit:
		return "too late for a database that is away"
	}
	return ""
}

// answers are the answers of replicas that were neither paused nor ended meanwhile.
type answers struct {
	sync.Mutex
	timed   bool        // judge how long they took: in the full form, on a quiet machine
	counts  map[int]int // by status
	longest map[int]time.Duration
	wrong   []string
}

func (all *answers) add(a answer) {
	all.Lock()
	defer all.Unlock()
	if all.counts == nil {
		all.counts, all.longest = map[int]int{}, map[int]time.Duration{}
	}
	all.counts[a.status]++
	all.longest[a.status] = max(all.longest[a.status], a.took)
	why := a.problem()
	if why == "" && all.timed {
		why = a.late()
	}
	if why != "" {
		all.wrong = append(all.wrong, fmt.Sprintf("%s: %d after %s: %s", a.what, a.status, a.took.Round(time.Millisecond), why))
	}
}

// String returns the number of answers by status, and the longest duration.
func (all *answers) String() string {
	all.Lock()
	defer all.Unlock()
	var list []string
	for _, status := range slices.Sorted(maps.Keys(all.counts)) {
		list = append(list, fmt.Sprintf("%d: %d (%s)", status, all.counts[status], all.longest[status].Round(10*time.Millisecond)))
	}
	return strings.Join(list, ", ")
}
