//go:build linux

package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// answers is what customers were answered by replicas that were neither paused nor ended
// meanwhile.
type answers struct {
	sync.Mutex
	statuses map[int]int // 0: none came
	longest  time.Duration
	broken   []string
}

// answerLimit is how long any answer may take, whatever is wrong with the database or the
// partner: a checkout asks for availability, then for a hold, and stores what comes of it.
const answerLimit = 45 * time.Second

func (a *answers) add(what string, status int, took time.Duration) {
	a.Lock()
	defer a.Unlock()
	if a.statuses == nil {
		a.statuses = map[int]int{}
	}
	a.statuses[status]++
	if a.longest = max(a.longest, took); took > answerLimit || status == 0 && took > time.Second {
		a.broken = append(a.broken, fmt.Sprintf("%s was answered with %d after %s", what, status, took))
	}
}

func (a *answers) breaches() []string {
	a.Lock()
	defer a.Unlock()
	return slices.Clone(a.broken)
}

func (a *answers) String() string {
	a.Lock()
	defer a.Unlock()
	var list []string
	for _, status := range slices.Sorted(maps.Keys(a.statuses)) {
		list = append(list, fmt.Sprintf("%d: %d", status, a.statuses[status]))
	}
	return strings.Join(list, ", ")
}
