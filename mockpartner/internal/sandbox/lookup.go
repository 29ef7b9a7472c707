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

// Sandbox returns the sandbox with that name, which counts as a call to it.
func (r *Registry) Sandbox(name string) (*Sandbox, bool) {
	r.mu.RLock()
	box, ok := r.boxes[name]
	r.mu.RUnlock()
	if !ok || !r.keepAlive(box) {
		return nil, false
	}
	return box, true
}

// SandboxFor returns the sandbox whose own key the request presents, and Default for every other
// request.
func (r *Registry) SandboxFor(request *http.Request) *Sandbox {
	r.mu.RLock()
	box := r.boxes[Default]
	if len(r.byKey) > 0 {
		if presented, ok := digestOf(request); ok && r.byKey[presented] != nil {
			box = r.byKey[presented]
		}
	}
	r.mu.RUnlock()
	if !r.keepAlive(box) {
		box, _ = r.Sandbox(Default)
	}
	return box
}

// keepAlive records the call. It deletes the sandbox instead if it has expired, and returns false.
func (r *Registry) keepAlive(box *Sandbox) bool {
	if !r.isIdle(box, r.now()) {
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

// Size returns the number of sandboxes, and the total bytes of exchanges in their journals.
func (r *Registry) Size() (boxes int, bytes int64) {
	for _, box := range r.List() {
		boxes++
		bytes += box.journal.Count().Bytes
	}
	return boxes, bytes
}

// Close shuts down all sandboxes; their contents stay.
func (r *Registry) Close() {
	for _, box := range r.List() {
		box.close()
	}
}

// Delete removes a sandbox. Calls in progress are completed. Its error wraps ErrMissing or
// ErrDefault.
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

// Play applies a scenario to every sandbox, including later ones, in place of the previous
// scenario.
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

// DefaultIdleFor is the default time that a sandbox may receive no calls.
const DefaultIdleFor = time.Hour

// Enter records that a call to the sandbox has started, and Leave that it has ended. A sandbox with
// calls in progress is not idle.
func (r *Registry) Enter(s *Sandbox) { s.calls.Add(1) }

// Leave records that a call recorded by Enter has ended.
func (r *Registry) Leave(s *Sandbox) {
	r.touch(s)
	s.calls.Add(-1)
}

func (r *Registry) touch(s *Sandbox) { s.used.Store(r.now().UnixNano()) }

func (r *Registry) now() time.Time { return r.config.Clock.Now() }

// isIdle reports whether the sandbox has received no calls for too long. Default is never idle.
func (r *Registry) isIdle(s *Sandbox, now time.Time) bool {
	return r.config.IdleFor > 0 && s.name != Default && s.calls.Load() == 0 &&
		now.Sub(time.Unix(0, s.used.Load())) > r.config.IdleFor
}

// sweepsAnIdleTime is how many times per idle time the registry checks for idle sandboxes. Checking
// all of them for each new sandbox would become slower the more there are.
const sweepsAnIdleTime = 8

// sweep removes the idle sandboxes, from time to time or immediately. The caller holds the lock.
func (r *Registry) sweep(atOnce bool) {
	now := r.now()
	if !atOnce && now.Sub(r.swept) < r.config.IdleFor/sweepsAnIdleTime {
		return
	}
	r.swept = now
	for _, box := range r.boxes {
		if r.isIdle(box, now) {
			r.remove(box)
		}
	}
}

// remove removes a sandbox. The registry must be locked.
func (r *Registry) remove(box *Sandbox) {
	delete(r.boxes, box.name)
	if box.own {
		delete(r.byKey, box.credential.digest)
	}
	box.close()
}
