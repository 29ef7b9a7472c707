package scenario

import (
	"context"
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// KeyTry is a call with another key than the registered one.
type KeyTry struct {
	Key    probe.Key
	Number int  // ordinal among the calls with this key
	Fresh  bool // on a new connection; else on one that has carried the registered key
	Bare   bool // without optional fields, or without a body where that is lawful
	// Unknown: about a code or booking id that the partner does not know. The key is checked first there, too.
	Unknown bool
	Answer  *probe.Answer
}

// KeyTries is the tries of one call. The last one may have been accepted.
type KeyTries []KeyTry

// Instances returns the key and the connection of each try.
func (all KeyTries) Instances() (seen []plan.Instance) {
	for _, try := range all {
		connection := "kept"
		if try.Fresh {
			connection = "fresh"
		}
		seen = append(seen, plan.Instance{plan.KeyForm: try.Key.String(), plan.Connection: connection})
	}
	return seen
}

// KeyForms returns the number of forms of wrong keys for the partner's key.
func KeyForms(client *probe.Client) int { return 2 + len(client.NearKeys()) }

// keyShare is the share of the run's time for the calls to one endpoint without the registered key.
const keyShare = 0.02

// keyTrial makes calls to one endpoint with wrong keys, and others with the registered key between
// them, so that some connections have carried it.
type keyTrial struct {
	*partner.Caller
	endpoint partnerapi.Endpoint
	good     func(nth int)
	wrong    func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop)
}

// tries returns the calls without the registered key, the most revealing first, as many as the run
// has time for.
func (k keyTrial) tries() (all []KeyTry) {
	add := func(key probe.Key, number int, fresh bool) {
		all = append(all, KeyTry{Key: key, Number: number, Fresh: fresh})
	}
	near := k.Client.NearKeys()
	// Each endpoint starts with other keys, so that a slow partner does not get the same ones only.
	at := slices.Index(partnerapi.Endpoints(), k.endpoint) * 2 % max(1, len(near))
	for i, key := range append(near[at:len(near):len(near)], near[:at]...) {
		add(key, 1, false)
		if i == 2 {
			add(probe.WrongKey, 1, false)
			add(probe.NoKey, 1, false)
		}
	}
	for _, key := range []probe.Key{probe.WrongKey, probe.NoKey} {
		add(key, 2, false)
		add(key, 3, false)
		add(key, 4, true)
	}
	if len(near) > 0 {
		add(near[at], 2, true)
	}
	return all[:min(len(all), k.Affordable(k.endpoint, keyShare))]
}

// triesOfUnknown is the ordinal of the call with a key that is about an unknown code.
const triesOfUnknown = 3

// namesCode reports whether the calls of an endpoint are about a code or a booking id.
func namesCode(endpoint partnerapi.Endpoint) bool {
	return slices.Contains([]partnerapi.Endpoint{partnerapi.Confirm, partnerapi.Release, partnerapi.Cancel}, endpoint)
}

// code returns the code or booking id that a try is about: that of the lifecycle, or an unknown one.
func (t KeyTry) code(account *Account, own string) string {
	if t.Unknown {
		return account.UnknownCode()
	}
	return own
}

// run makes the calls until one is accepted or the partner answers 429.
func (k keyTrial) run(ctx context.Context) (tried KeyTries, stop *partner.Stop) {
	for i, try := range k.tries() {
		try.Bare, try.Unknown = i%2 == 1, try.Number == triesOfUnknown && namesCode(k.endpoint)
		switch {
		case ctx.Err() != nil:
			return tried, k.Time.StopCause()
		case try.Fresh:
			k.Client.Close()
		case i%3 == 0:
			k.good(i / 3)
		}
		if try.Answer, stop = k.wrong("with "+try.Key.String(), try); stop != nil || partner.IsBusy(try.Answer) {
			return tried, stop
		}
		if try.Answer.Failure != nil {
			continue // a closed connection shows nothing about the key
		}
		if tried = append(tried, try); try.Answer.Response.Status/100 == 2 {
			break
		}
	}
	return tried, nil
}

// KeysOfReads is the outcome of wrong keys in calls that change nothing.
type KeysOfReads struct {
	Products, Probe, Availability KeyTries
}

// PlayKeysOfReads sends wrong keys with the calls that change nothing.
func PlayKeysOfReads(ctx context.Context, p *Player, _ int) *KeysOfReads {
	return playOnce(p, "keys of reads", 0, func(k *KeysOfReads, _ string) {
		survey := PlaySurvey(ctx, p, 0)
		if survey.Stop != nil || len(survey.Answers) == 0 {
			return
		}
		good := func(int) { _, _ = p.read.pull(ctx, "health probe", ProbeQuery(), probe.GoodKey) }
		turn := 0
		k.Products, _ = keyTrial{p.Calls, partnerapi.Products, good, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			if turn++; turn%3 == 0 {
				return p.read.pull(ctx, "pull of the changes, "+purpose, sinceQuery(longAgo), try.Key)
			}
			return p.read.pull(ctx, "pull "+purpose, nil, try.Key)
		}}.run(ctx)
		k.Probe, _ = keyTrial{p.Calls, partnerapi.Products, good, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			return p.read.pull(ctx, "health probe "+purpose, ProbeQuery(), try.Key)
		}}.run(ctx)
		var q Question
		k.Availability, _ = keyTrial{p.Calls, partnerapi.Availability, good, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			turn++
			if q = survey.Answers[turn%len(survey.Answers)].Question; turn%2 == 0 {
				q.Window.From = q.Window.To // one day
			}
			return p.read.ask(ctx, "slots "+purpose, q, try.Key)
		}}.run(ctx)
	})
}

// NearKeys contains reserves and confirms about a live hold with wrong keys. None may succeed.
type NearKeys struct {
	Opening
	Tries KeyTries
}

// Instances returns the key and the connection of each try.
func (k *NearKeys) Instances() []plan.Instance { return k.Tries.Instances() }

// PlayNearKeys sends wrong keys with reserves, and with confirms of a live hold.
func PlayNearKeys(ctx context.Context, p *Player, attempt int) *NearKeys {
	return playOnce(p, "near keys", attempt, func(k *NearKeys, option string) {
		t := p.begin(ctx, &k.Opening, seat("reserve 1 seat, to try keys on it", option))
		// A partner may check keys for each product.
		elsewhere, turn := plan.Spread(PlaySurvey(ctx, p, 0).otherOptions(k.Offer, p.Clock.Now()), mostKeyOffers), 0
		t.keys(partnerapi.Reserve, &k.Tries, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			offer, party := k.Offer, int64(1)
			switch turn++; {
			case turn%3 == 1 && len(elsewhere) > 0:
				offer = elsewhere[turn/3%len(elsewhere)]
			case turn%3 == 2:
				party = 2
			}
			made, stop := p.Book.Reserve(ctx, purpose, offer, partner.Guests(offer.Option, party), !try.Bare, try.Key)
			if made == nil {
				return nil, stop
			}
			return made.Answer, stop
		})
		t.countAfter("after the reserves with wrong keys")
		t.keys(partnerapi.Confirm, &k.Tries, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			of := k.Hold
			if try.Unknown {
				of = p.Account.UnknownHold(k.Offer)
			}
			return p.Book.Confirm(ctx, purpose, of, !try.Bare, try.Key)
		})
		t.countAfter("after the confirms with wrong keys")
		t.give("release the hold", true, "after the release with the good key")
	})
}

// mostKeyOffers is the maximum number of other options that are reserved with wrong keys.
const mostKeyOffers = 12

// keys makes a call of a lifecycle with wrong keys. Between them it makes calls with the registered
// key: of availability, and, where that changes nothing, of the same endpoint.
func (t lifecyclePlayer) keys(endpoint partnerapi.Endpoint, into *KeyTries, call func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop)) {
	good := func(nth int) {
		const purpose = "between wrong keys"
		switch {
		case nth%2 == 0 && endpoint == partnerapi.Release:
			_, _ = t.Book.Release(t.ctx, "release an unknown code, "+purpose, t.Account.UnknownCode(), probe.GoodKey)
		case nth%2 == 0 && endpoint == partnerapi.Cancel:
			_, _ = t.Book.Cancel(t.ctx, "cancel an unknown booking, "+purpose, t.Account.UnknownCode(), probe.GoodKey)
		default:
			_, _ = t.Seats.Look(t.ctx, t.opening.Offer, purpose)
		}
	}
	t.step(func() *partner.Stop {
		tried, stop := keyTrial{t.Calls, endpoint, good, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			if try.Bare {
				purpose += ", without optional fields"
			}
			if try.Unknown {
				purpose += ", about an unknown code"
			}
			return call(string(endpoint)+" "+purpose, try)
		}}.run(t.ctx)
		t.opening.addTries(tried)
		*into = append(*into, tried...)
		return stop
	})
}

// tryKeysAfterEnd tries a wrong key, and none, about what has ended or is a booking: the key is checked
// first whatever the code stands for.
func (t lifecyclePlayer) tryKeysAfterEnd(into *KeyTries, call func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop)) {
	if t.Calls.Affordable(partnerapi.Release, keyShare) == 0 {
		return
	}
	for _, key := range []probe.Key{probe.WrongKey, probe.NoKey} {
		t.step(func() *partner.Stop {
			answer, stop := call("with "+key.String(), key)
			if stop == nil && answer.Failure == nil && !partner.IsBusy(answer) {
				try := KeyTry{Key: key, Number: 1, Answer: answer}
				*into = append(*into, try)
				t.opening.addTries(KeyTries{try})
			}
			return stop
		})
	}
}

// PlayNearReleases releases a live hold with wrong keys, then with the registered one.
func PlayNearReleases(ctx context.Context, p *Player, attempt int) *NearKeys {
	return playOnce(p, "near releases", attempt, func(n *NearKeys, option string) {
		t := p.begin(ctx, &n.Opening, seat("reserve 1 seat, to try keys on its release", option))
		t.keys(partnerapi.Release, &n.Tries, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			return p.Book.ReleaseWith(ctx, purpose, try.code(p.Account, n.Hold.Code), bodyOf(!try.Bare), try.Key)
		})
		t.countAfter("after the releases with wrong keys")
		t.give("release the hold", true, "after the release with the good key")
		t.tryKeysAfterEnd(&n.Tries, func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop) {
			return p.Book.Release(ctx, "release the released code "+purpose, n.Hold.Code, key)
		})
		t.tryKeysAfterEnd(&n.Tries, func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop) {
			return p.Book.Confirm(ctx, "confirm the released code "+purpose, n.Hold, true, key)
		})
	})
}

// PlayNearCancels cancels a live booking with wrong keys, then with the registered one.
func PlayNearCancels(ctx context.Context, p *Player, attempt int) *NearKeys {
	first := PlayBooking(ctx, p, 0)
	return playOnce(p, "near cancels", attempt, func(n *NearKeys, option string) {
		if p.Book.traits.NoCancel {
			n.Stop = partner.StopOrDefault(first.Stop)
			return
		}
		t := p.begin(ctx, &n.Opening, seat("reserve 1 seat, to try keys on its booking", option))
		t.book("confirm the hold", true, "after confirm")
		t.tryKeysAfterEnd(&n.Tries, func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop) {
			return p.Book.Confirm(ctx, "confirm the booked code "+purpose, n.Hold, true, key)
		})
		t.tryKeysAfterEnd(&n.Tries, func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop) {
			return p.Book.Release(ctx, "release the booked code "+purpose, n.Hold.Code, key)
		})
		t.keys(partnerapi.Cancel, &n.Tries, func(purpose string, try KeyTry) (*probe.Answer, *partner.Stop) {
			return p.Book.CancelWith(ctx, purpose, try.code(p.Account, n.BookingID()), bodyOf(!try.Bare), try.Key)
		})
		t.countAfter("after the cancellations with wrong keys")
		t.undo("cancel the booking", true, "after the cancellation with the good key")
		t.tryKeysAfterEnd(&n.Tries, func(purpose string, key probe.Key) (*probe.Answer, *partner.Stop) {
			return p.Book.Cancel(ctx, "cancel the cancelled booking "+purpose, n.BookingID(), key)
		})
	})
}

// Instances returns the key and the connection of each try.
func (k *KeysOfReads) Instances() []plan.Instance {
	return slices.Concat(k.Products, k.Probe, k.Availability).Instances()
}

// String says which key was tried, and how.
func (t KeyTry) String() string {
	where := "on a connection that the registered key was sent on"
	if t.Fresh {
		where = "on a new connection"
	}
	if t.Unknown {
		where += ", about an unknown code"
	}
	return fmt.Sprintf("%s, call %d with it, %s", t.Key, t.Number, where)
}

// addTries adds calls with other keys than the partner's. A connection that was closed shows nothing about the key.
func (o *Opening) addTries(tries KeyTries) {
	for _, try := range tries {
		if try.Unknown {
			o.addUnknown(try.Answer, try.String())
		} else {
			o.addCall(try.Answer, try.String())
		}
	}
}
