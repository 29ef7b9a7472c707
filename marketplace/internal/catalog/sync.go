// Package catalog makes a partner's products into activities, and its slots into ours.
//
// A sync pulls the catalog (sync.go), reads it product by product and sets aside what
// is not as the contract has it (read.go), and finds what differs from what is stored
// (diff.go, pure). What differs, and nothing else, is written in one transaction with
// the hash of the body that it stands for.
//
// Slots come in two ways: an option's answer for 60 days (slots.go, slots_read.go), and a
// partner's news of one (notify.go). Both are read by the same rules,
// and whatever was said last stands.
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

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas"
)

// Mode says what a pull asks for.
type Mode string

// The modes.
const (
	Full        Mode = "full"        // everything: what is missing is gone
	Incremental Mode = "incremental" // what changed since the last pull: it never deactivates
)

// Cause is why a sync was made.
type Cause string

// The causes.
const (
	ByPartner  Cause = "trigger"  // the partner's webhook
	ByOperator Cause = "operator" // an operator's decision
	BySchedule Cause = "schedule"
	ByNotify   Cause = "notify" // a notification of a slot that is not known
)

// SyncRequest asks for a sync of an integration, which a job makes. While one runs, all
// that is asked for is one request more.
type SyncRequest struct {
	Integration uuid.UUID
	Mode        Mode // a full sync serves a request for an incremental one as well
	Cause       Cause
	At          time.Time // the earliest start; zero: immediately
}

// PendingSync is a request that a job has taken up.
type PendingSync struct {
	SyncRequest
	Number   int64 // another that comes meanwhile has a higher one
	Failures int   // tries that the partner failed
}

// Position is where an integration's catalog stands.
type Position struct {
	SentAt  time.Time // of the last stored pull; zero before the first
	Hash    Hash      // of its body, where it was a full one
	Rules   string    // by which it was read; "": there is no hash
	Guarded Hash      // of the body that the guard holds; zero if none is held
	Synced  int       // of the last full sync
}

// Sync is the record of one.
type Sync struct {
	ID          uuid.UUID                  `json:"-"`
	Mode        Mode                       `json:"mode"`
	Cause       Cause                      `json:"cause"`
	StartedAt   time.Time                  `json:"started_at"`
	FinishedAt  time.Time                  `json:"finished_at"`
	Synced      int                        `json:"synced"`  // products of the answer that are stored
	Skipped     bool                       `json:"skipped"` // the body is the last one's: nothing of the catalog was written
	Failed      bool                       `json:"failed"`  // so that nothing was written
	Reason      *string                    `json:"reason"`  // why it was skipped, or failed; else nil
	Created     int                        `json:"created"`
	Updated     int                        `json:"updated"`
	Deactivated int                        `json:"deactivated"`
	SetAside    marketplace.List[SetAside] `json:"set_aside"`
	Guard       *Guard                     `json:"guard"`
	EndsGuard   bool                       `json:"-"` // one was held before, and none is now
}

// Update is what a pull changes, to be written in one transaction.
type Update struct {
	Changes  *Changes
	Record   Sync
	Position Position // where the catalog stands afterwards
}

// Store keeps catalogs.
type Store interface {
	// Position returns where an integration's catalog stands, or NotFound where it
	// is not live.
	Position(ctx context.Context, integration uuid.UUID) (Position, error)
	// UpdateCatalog has decide say what a pull that was sent at that time changes of
	// what is stored, and writes it, all in one transaction that is the only one to
	// write this catalog. Where a later sync has been stored meanwhile, nothing is
	// decided and the error is Conflict; NotFound where the integration is not live.
	// The request for the slots of its options is part of that transaction.
	UpdateCatalog(ctx context.Context, integration uuid.UUID, sent time.Time, decide func(Position, Stored) (*Update, error)) error
	// AskForSlots asks that the slots of all options be pulled: immediately
	// where the catalog has changed, else not more often than every SkippedPause.
	AskForSlots(ctx context.Context, integration uuid.UUID, at time.Time, changed bool) error
	// KeepAttempt remembers a sync of an integration that was skipped, or failed. It writes
	// no row of the catalog or of the syncs' history.
	KeepAttempt(ctx context.Context, integration uuid.UUID, made Sync) error
}

// Puller pulls catalogs.
type Puller interface {
	// Products pulls a catalog and has read read its body.
	Products(ctx context.Context, t partner.Target, since time.Time, read func(ctx context.Context, body []byte) error) error
}

// Syncer syncs catalogs. It is safe for concurrent use.
type Syncer struct {
	store   Store
	partner Puller
	now     func() time.Time
	rules   string
	flights flights
	told    func(Order, Sync, error)
}

// NewSyncer returns a syncer.
func NewSyncer(store Store, partner Puller, now func() time.Time) *Syncer {
	return &Syncer{store: store, partner: partner, now: now, rules: schemas.ContractVersion() + "." + limits, told: func(Order, Sync, error) {}}
}

// Tell registers f to be called after every pull. Call it before the syncer is in use.
func (s *Syncer) Tell(f func(Order, Sync, error)) { s.told = f }

// Order is what a sync is made for.
type Order struct {
	Target   partner.Target
	Mode     Mode
	Cause    Cause
	Approved bool // an operator approves what the guard holds back
}

// Sync pulls a partner's catalog and stores what differs. While one is under way for an
// integration one more waits, which all who come meanwhile share. The error is
// PartnerLate or PartnerFailed, and nothing was written then; Conflict where later pulls
// have overtaken it again and again.
func (s *Syncer) Sync(ctx context.Context, o Order) (Sync, error) {
	return s.flights.do(ctx, o.flight(), func(ctx context.Context) (Sync, error) {
		made, err := s.sync(ctx, o)
		s.told(o, made, err)
		return made, err
	})
}

// flight names the orders that one pull serves.
func (o Order) flight() string {
	name := o.Target.ID.String() + string(o.Mode)
	if o.Approved {
		name += " approved"
	}
	return name
}

// mostPulls bounds the pulls of one sync, each of which a later one may overtake.
const mostPulls = 3

func (s *Syncer) sync(ctx context.Context, o Order) (made Sync, err error) {
	for range mostPulls {
		made, err = s.pull(ctx, o)
		if err == nil || marketplace.CodeOf(err) != marketplace.Conflict {
			break
		}
	}
	return made, err
}

// pull is one try of a sync. The error is Conflict where a later pull was stored
// meanwhile: this one's news is old.
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
	if o.Mode == Incremental && !position.SentAt.IsZero() { // else there is nothing that it could add to
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
		record.Failed, record.Reason, record.FinishedAt = true, new(readable(marketplace.MessageOf(err))), s.now()
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
		if held := guarded(stored, changes); held != nil && !o.Approved && position.Guarded != hash {
			record.Guard, changes.Gone = held, nil
		}
		record.Synced, record.Created, record.Updated, record.Deactivated = len(read.Products), changes.Created, changes.Updated, len(changes.Gone)
		record.SetAside, record.FinishedAt = read.SetAside, s.now()
		after := s.after(position, record, changes, hash, full)
		record.EndsGuard = position.Guarded != Hash{} && after.Guarded == Hash{}
		return &Update{Changes: changes, Record: record, Position: after}, nil
	})
	return record, err
}

// Unchanged is why a sync is skipped.
const Unchanged = "the catalog is the same as at the last full sync"

// after is where the catalog stands after a pull. The hash is that of the full pull
// that the stored catalog is: a body that is held back has none, and changes of an
// incremental one take it away.
func (s *Syncer) after(before Position, record Sync, changes *Changes, hash Hash, full bool) Position {
	after := Position{SentAt: record.StartedAt}
	switch {
	case record.Guard != nil:
		after.Guarded = hash
	case full:
		after.Hash, after.Rules = hash, s.rules
	case changes.None():
		after.Hash, after.Rules, after.Guarded = before.Hash, before.Rules, before.Guarded
	default:
		after.Guarded = before.Guarded
	}
	return after
}

// flights are the syncs under way. An integration has at most one
// sync of each kind at a time. A caller that arrives meanwhile needs the partner's
// current state, which the running pull may have missed: one more sync follows, and
// serves all callers that have arrived by its start.
type flights struct {
	waiting singleflight.Group
	flying  sync.Map // a *sync.Mutex for each name
}

// do runs f, now or after the running sync, and waits for it. A sync may serve several
// callers, so it continues when one of them goes.
func (all *flights) do(ctx context.Context, name string, f func(context.Context) (Sync, error)) (Sync, error) {
	done := all.waiting.DoChan(name, func() (any, error) {
		last, _ := all.flying.LoadOrStore(name, &sync.Mutex{})
		last.(*sync.Mutex).Lock()
		defer last.(*sync.Mutex).Unlock()
		all.waiting.Forget(name) // later callers wait for the next sync
		return safely(func() (Sync, error) { return f(context.WithoutCancel(ctx)) })
	})
	select {
	case flown := <-done:
		return flown.Val.(Sync), flown.Err
	case <-ctx.Done():
		return Sync{}, ctx.Err()
	}
}

// safely turns a panic into an error that says where it came from, for the log: no
// caller would recover it, and a partner's answer must not end the service.
func safely(f func() (Sync, error)) (made Sync, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("a sync panicked: %v\n%s", panicked, debug.Stack())
		}
	}()
	return f()
}
