// Package catalog turns a partner's products into activities, and its slots into the marketplace's
// slots.
//
// A sync pulls the catalog (sync.go), reads it product by product, and sets invalid products aside
// (read.go). It finds what differs from the stored catalog (diff.go, pure). The differences are
// written in one transaction, with the hash of the body.
//
// Slots arrive in two ways: in an option's answer for 60 days (slots.go, slots_read.go), and in a
// partner's notification of one slot (notify.go). Both are read by the same rules, and the latest
// information wins.
package catalog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas"
)

// Mode says what a pull requests.
type Mode string

// The modes.
const (
	Full        Mode = "full"        // all products: missing ones are deactivated
	Incremental Mode = "incremental" // products changed since the last pull; none is deactivated
)

// Cause is why a sync was started.
type Cause string

// The causes.
const (
	ByPartner  Cause = "trigger"  // the partner's webhook
	ByOperator Cause = "operator" // an operator's decision
	BySchedule Cause = "schedule"
	ByNotify   Cause = "notify" // a notification of an unknown slot
)

// SyncRequest is a request for a sync, which a job makes. Requests during a running sync are
// combined into one.
type SyncRequest struct {
	Integration uuid.UUID
	Mode        Mode // a full sync also serves a request for an incremental one
	Cause       Cause
	At          time.Time // the earliest start; zero: immediately
}

// PendingSync is a request that a job has started.
type PendingSync struct {
	SyncRequest
	Number   int64 // a later request has a higher number
	Failures int   // failed tries
}

// Position is the state of an integration's stored catalog.
type Position struct {
	SentAt  time.Time // when the last stored pull was sent; zero before the first
	Hash    Hash      // of its body, if it was a full pull
	Rules   string    // the version of the reading rules; "": no hash
	Guarded Hash      // of the body that the guard holds; zero without one
	Synced  int       // of the last full sync
}

// Sync is the record of one sync.
type Sync struct {
	ID          uuid.UUID
	Mode        Mode
	Cause       Cause
	StartedAt   time.Time
	FinishedAt  time.Time
	Synced      int     // products that were stored
	Skipped     bool    // the body equals the last one, so nothing was written
	Failed      bool    // nothing was written
	Reason      *string // why it was skipped or failed; otherwise nil
	Created     int
	Updated     int
	Deactivated int
	SetAside    domain.List[SetAside]
	Guard       *Guard
	EndsGuard   bool // an earlier pull was held, and now none is
}

// RunningSync is a sync that has not ended yet.
type RunningSync struct {
	ID        uuid.UUID
	Mode      Mode
	Cause     Cause
	StartedAt time.Time
}

// seenEvery is how often a running sync says that it still runs.
const seenEvery = 5 * time.Second

// Update is what a pull changes. It is written in one transaction.
type Update struct {
	Changes  *Changes
	Record   Sync
	Position Position // after the update
}

// Store stores catalogs.
type Store interface {
	// Position returns the state of an integration's catalog, or NotFound if the integration is not
	// live.
	Position(ctx context.Context, integration uuid.UUID) (Position, error)
	// UpdateCatalog calls decide with the stored catalog and writes its result in the same
	// transaction, which alone writes this catalog. If a later sync has been stored, decide is not
	// called and the error is Conflict. It is NotFound if the integration is not live. The
	// transaction also requests the slots of the options.
	UpdateCatalog(ctx context.Context, integration uuid.UUID, sent time.Time, decide func(Position, Stored) (*Update, error)) error
	// AskForSlots requests the slots of all options: immediately if the catalog has changed,
	// otherwise at most once every SkippedPause.
	AskForSlots(ctx context.Context, integration uuid.UUID, at time.Time, changed bool) error
	// KeepAttempt records a sync that was skipped or failed. It does not change the catalog or the
	// history of stored syncs.
	KeepAttempt(ctx context.Context, integration uuid.UUID, made Sync) error
	// KeepRunning records that a sync runs. Unless it is called again soon, the sync counts as lost
	// with its replica.
	KeepRunning(ctx context.Context, integration uuid.UUID, running RunningSync) error
	// EndRunning removes the record of a running sync.
	EndRunning(ctx context.Context, id uuid.UUID) error
}

// Puller pulls catalogs.
type Puller interface {
	// Products pulls a catalog and passes its body to read.
	Products(ctx context.Context, t partner.Target, since time.Time, read func(ctx context.Context, body []byte) error) error
}

// Syncer syncs catalogs. It is safe for concurrent use.
type Syncer struct {
	store   Store
	partner Puller
	now     func() time.Time
	rules   string
	flights flights
	onSync  func(Order, Sync, error)
}

// NewSyncer returns a syncer.
func NewSyncer(store Store, partner Puller, now func() time.Time) *Syncer {
	return &Syncer{store: store, partner: partner, now: now, rules: schemas.ContractVersion() + "." + storedForm, onSync: func(Order, Sync, error) {}}
}

// OnSync registers f to be called after every pull. Call it before the syncer is in use.
func (s *Syncer) OnSync(f func(Order, Sync, error)) { s.onSync = f }

// Order is the task of a sync.
type Order struct {
	Target   partner.Target
	Mode     Mode
	Cause    Cause
	Approved bool // an operator approves what the guard holds
}

// Sync pulls a partner's catalog and stores what differs. During a running sync of the integration,
// all callers share the next one. The error is PartnerLate or PartnerFailed if the partner caused
// it; nothing is written then. It is Conflict if later pulls were stored first every time.
func (s *Syncer) Sync(ctx context.Context, o Order) (Sync, error) {
	return s.flights.do(ctx, o.flight(), func(ctx context.Context) (Sync, error) {
		made, err := s.syncSeen(ctx, o)
		s.onSync(o, made, err)
		return made, err
	})
}

// syncSeen makes a sync that all replicas see while it runs.
func (s *Syncer) syncSeen(ctx context.Context, o Order) (made Sync, err error) {
	running := RunningSync{Mode: o.Mode, Cause: o.Cause, StartedAt: s.now()}
	if running.ID, err = uuid.NewV7(); err != nil {
		return Sync{}, err
	}
	if err := s.store.KeepRunning(ctx, o.Target.ID, running); err != nil {
		return Sync{}, err
	}
	seen, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(seen)
		for {
			select {
			case <-done:
				return
			case <-time.After(seenEvery):
				_ = s.store.KeepRunning(ctx, o.Target.ID, running) // only what people see depends on it
			}
		}
	}()
	defer func() {
		close(done)
		<-seen
		err = errors.Join(err, s.store.EndRunning(ctx, running.ID))
	}()
	return s.sync(ctx, o)
}

// flight returns the name under which orders share a pull.
func (o Order) flight() string {
	name := o.Target.ID.String() + string(o.Mode)
	if o.Approved {
		name += " approved"
	}
	return name
}

// mostPulls limits the pulls of one sync. A later pull may make each of them obsolete.
const mostPulls = 3

func (s *Syncer) sync(ctx context.Context, o Order) (made Sync, err error) {
	for range mostPulls {
		made, err = s.pull(ctx, o)
		if err == nil || domain.CodeOf(err) != domain.Conflict {
			break
		}
	}
	return made, err
}

// pull makes one try of a sync. The error is Conflict if a later pull was stored meanwhile.
func (s *Syncer) pull(ctx context.Context, o Order) (Sync, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Sync{}, err
	}
	position, err := s.store.Position(ctx, o.Target.ID)
	if err != nil {
		return Sync{}, err
	}
	record := Sync{ID: id, Mode: Full, Cause: o.Cause, StartedAt: s.now()}
	since := time.Time{}
	if o.Mode == Incremental && !position.SentAt.IsZero() { // otherwise there is nothing to add to
		record.Mode, since = Incremental, position.SentAt
	}
	var hash Hash
	var read *Catalog
	err = s.partner.Products(ctx, o.Target, since, func(ctx context.Context, body []byte) (err error) {
		hash = sha256.Sum256(body)
		if record.Mode == Full && position.Rules == s.rules && position.Hash == hash {
			return nil
		}
		read, err = Read(ctx, body)
		return err
	})
	if err != nil {
		record.Failed, record.Reason, record.FinishedAt = true, new(readableText(domain.MessageOf(partner.ForOwner(err)))), s.now()
		return Sync{}, errors.Join(err, s.store.KeepAttempt(context.WithoutCancel(ctx), o.Target.ID, record))
	}
	if read == nil {
		record.Synced, record.Skipped, record.Reason, record.SetAside, record.FinishedAt = position.Synced, true, new(Unchanged), nil, s.now()
		return record, errors.Join(s.store.KeepAttempt(ctx, o.Target.ID, record), s.store.AskForSlots(ctx, o.Target.ID, record.FinishedAt, false))
	}
	read.withoutKey(o.Target.AuthKey)
	err = s.store.UpdateCatalog(ctx, o.Target.ID, record.StartedAt, func(position Position, stored Stored) (*Update, error) {
		full := record.Mode == Full
		changes, err := Diff(stored, read, full)
		if err != nil {
			return nil, err
		}
		if held := checkGuard(stored, changes); held != nil && !o.Approved && position.Guarded != hash {
			record.Guard, changes.Gone = held, nil
		}
		record.Synced, record.Created, record.Updated, record.Deactivated = len(read.Products), changes.Created, changes.Updated, len(changes.Gone)
		record.SetAside, record.FinishedAt = read.SetAside, s.now()
		after := s.nextPosition(position, record, changes, hash, full)
		record.EndsGuard = position.Guarded != Hash{} && after.Guarded == Hash{}
		return &Update{Changes: changes, Record: record, Position: after}, nil
	})
	return record, err
}

// Unchanged is the reason of a skipped sync.
const Unchanged = "the catalog is the same as at the last full sync"

// nextPosition returns the catalog's position after a pull. The hash is that of the full pull that equals
// the stored catalog. A held body has no hash, and changes of an incremental pull remove it.
func (s *Syncer) nextPosition(before Position, record Sync, changes *Changes, hash Hash, full bool) Position {
	after := Position{SentAt: record.StartedAt}
	switch {
	case record.Guard != nil:
		after.Guarded = hash
	case full:
		after.Hash, after.Rules = hash, s.rules
	case changes.IsEmpty():
		after.Hash, after.Rules, after.Guarded = before.Hash, before.Rules, before.Guarded
	default:
		after.Guarded = before.Guarded
	}
	return after
}

// flights are the running syncs. An integration has at most one sync of each kind at a time. A
// caller that arrives meanwhile needs the partner's current state, which the running pull may have
// missed. One more sync follows for all callers that arrive before its start.
type flights struct {
	waiting singleflight.Group
	flying  sync.Map // a *sync.Mutex for each name
}

// do runs f, now or after the running sync, and waits for it. A sync may serve several
// callers, so it continues when one of them leaves.
func (all *flights) do(ctx context.Context, name string, f func(context.Context) (Sync, error)) (Sync, error) {
	done := all.waiting.DoChan(name, func() (any, error) {
		last, _ := all.flying.LoadOrStore(name, &sync.Mutex{})
		last.(*sync.Mutex).Lock()
		defer last.(*sync.Mutex).Unlock()
		all.waiting.Forget(name) // later callers wait for the next sync
		return recoverSync(func() (Sync, error) { return f(context.WithoutCancel(ctx)) })
	})
	select {
	case flown := <-done:
		return flown.Val.(Sync), flown.Err
	case <-ctx.Done():
		return Sync{}, ctx.Err()
	}
}

// recoverSync converts a panic to an error with its stack, for the log. No caller would recover it, and
// a partner's answer must not stop the service.
func recoverSync(f func() (Sync, error)) (made Sync, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("a sync panicked: %v\n%s", panicked, debug.Stack())
		}
	}()
	return f()
}
