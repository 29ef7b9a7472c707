package sandbox

import "time"

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

// sweep removes the idle sandboxes, now and then or at once. It wants the lock.
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
