package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/internal/script"
)

// Sandbox returns the sandbox of that name, which counts as a call of it.
func (r *Registry) Sandbox(name string) (*Sandbox, bool) {
	r.mu.RLock()
	box, ok := r.boxes[name]
	r.mu.RUnlock()
	if !ok || !r.awake(box) {
		return nil, false
	}
	return box, true
}

// Addressed returns the sandbox whose own key the request presents, and Default
// for every other request.
func (r *Registry) Addressed(request *http.Request) *Sandbox {
	r.mu.RLock()
	box := r.boxes[Default]
	if len(r.byKey) > 0 {
		if presented, ok := digestOf(request); ok && r.byKey[presented] != nil {
			box = r.byKey[presented]
		}
	}
	r.mu.RUnlock()
	if !r.awake(box) {
		box, _ = r.Sandbox(Default)
	}
	return box
}

// awake deletes the sandbox if it is idle, and else notes that it was called.
func (r *Registry) awake(box *Sandbox) bool {
	if !r.idle(box, r.now()) {
		r.touch(box)
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.boxes[box.name] == box {
		r.remove(box)
	}
	return false
}

// List returns all sandboxes, by name.
func (r *Registry) List() []*Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep(true)
	boxes := slices.Collect(maps.Values(r.boxes))
	slices.SortFunc(boxes, func(a, b *Sandbox) int { return cmp.Compare(a.name, b.name) })
	return boxes
}

// Size is how many sandboxes there are, and how many bytes of exchanges their
// journals hold.
func (r *Registry) Size() (boxes int, bytes int64) {
	for _, box := range r.List() {
		boxes++
		bytes += box.journal.Count().Bytes
	}
	return boxes, bytes
}

// Close lets all sandboxes come to their end; what they hold stays.
func (r *Registry) Close() {
	for _, box := range r.List() {
		box.close()
	}
}

// Delete removes a sandbox; calls that are under way in it come to their end.
// Its error wraps ErrMissing or ErrDefault.
func (r *Registry) Delete(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == Default {
		return ErrDefault
	}
	box, ok := r.boxes[name]
	if !ok {
		return fmt.Errorf("%w: %s", ErrMissing, name)
	}
	r.remove(box)
	return nil
}

// Play plays a scenario in every sandbox, those that are made later among them,
// in the place of the scenario before.
func (r *Registry) Play(scenario script.Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scenario = scenario
	for _, box := range r.boxes {
		if err := box.faults.Play(scenario); err != nil {
			return fmt.Errorf("sandbox %s: %w", box.name, err)
		}
	}
	return nil
}

// DefaultIdleFor is how long a sandbox may go uncalled unless told otherwise.
const DefaultIdleFor = time.Hour

// Enter notes that a call has come to the sandbox, and Leave that it has ended:
// a sandbox with calls under way is not idle.
func (r *Registry) Enter(s *Sandbox) { s.calls.Add(1) }

// Leave notes that a call of Enter's has ended.
func (r *Registry) Leave(s *Sandbox) {
	r.touch(s)
	s.calls.Add(-1)
}

func (r *Registry) touch(s *Sandbox) { s.used.Store(r.now().UnixNano()) }

func (r *Registry) now() time.Time { return r.config.Clock.Now() }

// idle reports whether the sandbox has gone uncalled for too long. Default never
// has.
func (r *Registry) idle(s *Sandbox, now time.Time) bool {
	return r.config.IdleFor > 0 && s.name != Default && s.calls.Load() == 0 &&
		now.Sub(time.Unix(0, s.used.Load())) > r.config.IdleFor
}

// sweepsAnIdleTime is how often idle sandboxes are looked for in the time after
// which one is idle. To look at all of them each time one is made would make
// that the slower the more there are.
const sweepsAnIdleTime = 8

// sweep removes the idle sandboxes, from time to time or immediately. The caller holds the lock.
func (r *Registry) sweep(atOnce bool) {
	now := r.now()
	if !atOnce && now.Sub(r.swept) < r.config.IdleFor/sweepsAnIdleTime {
		return
	}
	r.swept = now
	for _, box := range r.boxes {
		if r.idle(box, now) {
			r.remove(box)
		}
	}
}

// remove wants the lock.
func (r *Registry) remove(box *Sandbox) {
	delete(r.boxes, box.name)
	if box.own {
		delete(r.byKey, box.credential.digest)
	}
	box.close()
}
