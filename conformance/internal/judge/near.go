package judge

import (
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// KeySpecs returns the specs that judge the rules about keys again: with keys similar to the
// registered one, several times, on new connections and on ones that have carried the registered
// key.
func KeySpecs() []Spec {
	reads := func(r rule.Rule, missing bool, of func(*scenario.KeysOfReads) scenario.KeyTries) Spec {
		return spec(r, judgeOnce(scenario.PlayKeysOfReads, func(k *scenario.KeysOfReads) Finding { return keysRefused(of(k), missing) }))
	}
	holds := func(r rule.Rule, missing bool, of func(*scenario.NearKeys) scenario.KeyTries) Spec {
		return spec(r, judgeOnce(scenario.PlayNearKeys, func(k *scenario.NearKeys) Finding { return keysRefused(of(k), missing) }))
	}
	undone := func(wrong, missing, effect rule.Rule, play play[*scenario.NearUndoing]) []Spec {
		return []Spec{
			spec(missing, judgeOnce(play, func(n *scenario.NearUndoing) Finding { return keysRefused(n.Tries, true) })),
			spec(wrong, judgeOnce(play, func(n *scenario.NearUndoing) Finding { return keysRefused(n.Tries, false) })),
			spec(effect, weighSeats(play, func(n *scenario.NearUndoing) Move {
				return Move{before: n.LiveReading(), after: n.Kept, stop: n.Stop, between: exchanges(n.Tries)}
			})),
		}
	}
	products := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Products }
	probes := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Probe }
	slots := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Availability }
	reserves := func(k *scenario.NearKeys) scenario.KeyTries { return k.Reserves }
	confirms := func(k *scenario.NearKeys) scenario.KeyTries { return k.Confirms }
	specs := []Spec{
		reads(rule.ProductsMissingKey, true, products), reads(rule.ProductsWrongKey, false, products),
		reads(rule.ProbeMissingKey, true, probes), reads(rule.ProbeWrongKey, false, probes),
		reads(rule.AvailabilityMissingKey, true, slots), reads(rule.AvailabilityWrongKey, false, slots),
		holds(rule.ReserveMissingKey, true, reserves), holds(rule.ReserveWrongKey, false, reserves),
		spec(rule.ReserveAuthEffect, weighSeats(scenario.PlayNearKeys, func(k *scenario.NearKeys) Move {
			return Move{before: k.Held, after: k.Reserved, stop: k.Stop, between: exchanges(k.Reserves)}
		})),
		holds(rule.ConfirmMissingKey, true, confirms), holds(rule.ConfirmWrongKey, false, confirms),
		spec(rule.ConfirmAuthEffect, weighSeats(scenario.PlayNearKeys, func(k *scenario.NearKeys) Move {
			m := Move{before: k.Kept, after: k.Release.After, stop: k.Stop, between: append(exchanges(k.Confirms), exchangesOf(k.Release)...)}
			if !k.TakesLater() {
				m.by, m.infants = k.Guests, k.Infants
			}
			return m
		})),
	}
	specs = append(specs, undone(rule.ReleaseWrongKey, rule.ReleaseMissingKey, rule.ReleaseAuthEffect, scenario.PlayNearReleases)...)
	specs = append(specs, undone(rule.CancelWrongKey, rule.CancelMissingKey, rule.CancelAuthEffect, scenario.PlayNearCancels)...)
	for _, play := range []play[*scenario.NearUndoing]{scenario.PlayNearReleases, scenario.PlayNearCancels} {
		ended := func(r rule.Rule, missing bool, of func(*scenario.NearUndoing) scenario.KeyTries) Spec {
			return spec(r, judgeOnce(play, func(n *scenario.NearUndoing) Finding { return keysRefused(of(n), missing) }))
		}
		confirms := func(n *scenario.NearUndoing) scenario.KeyTries { return n.Confirms }
		releases := func(n *scenario.NearUndoing) scenario.KeyTries { return n.Releases }
		cancels := func(n *scenario.NearUndoing) scenario.KeyTries { return n.Cancels }
		specs = append(specs,
			ended(rule.ConfirmMissingKey, true, confirms), ended(rule.ConfirmWrongKey, false, confirms),
			ended(rule.ReleaseMissingKey, true, releases), ended(rule.ReleaseWrongKey, false, releases),
			ended(rule.CancelMissingKey, true, cancels), ended(rule.CancelWrongKey, false, cancels),
		)
	}
	return specs
}

// keysRefused finds a call without the registered key that was not answered 401. missing selects
// calls without a key; otherwise it judges calls with another key.
func keysRefused(all scenario.KeyTries, missing bool) (f Finding) {
	for _, try := range all {
		if try.Key.IsMissing() != missing || try.Answer.HasStatus(unauthorized...) {
			continue
		}
		where := "on a connection that the registered key was sent on"
		if try.Fresh {
			where = "on a new connection"
		}
		f = Breach("%s, call %d with it, %s: expected 401, received %s", try.Key, try.Number, where, try.Answer.Words()).WithEvidence(try.Answer.Exchange)
		if try.Key == probe.EmptyKey {
			f.Suspects = KeyMissing[try.Answer.Endpoint]
		}
		return f
	}
	return f
}

// KeyMissing lists the rules about a call without a key. Many servers cannot distinguish an empty
// header from an absent one.
var KeyMissing = map[partnerapi.Endpoint][]rule.Rule{
	partnerapi.Products:     {rule.ProductsMissingKey, rule.ProbeMissingKey},
	partnerapi.Availability: {rule.AvailabilityMissingKey},
	partnerapi.Reserve:      {rule.ReserveMissingKey},
	partnerapi.Confirm:      {rule.ConfirmMissingKey},
	partnerapi.Release:      {rule.ReleaseMissingKey},
	partnerapi.Cancel:       {rule.CancelMissingKey},
}

// CodeSpecs returns the specs that judge the rules about unknown codes again: with codes similar to
// a live one.
func CodeSpecs() []Spec {
	further := perOption(scenario.PlayProducts, scenario.PlayNearCodesIn)
	everywhere := func(step Step) Step {
		step.Subjects = joinSubjects(step.Subjects, further)
		return step
	}
	of := func(r rule.Rule, judge func(*scenario.NearCodes) Finding) Spec {
		return spec(r, everywhere(judgeOnce(scenario.PlayNearCodes, judge)))
	}
	moved := func(move func(*scenario.NearCodes) Move) Step {
		return everywhere(weighSeats(scenario.PlayNearCodes, move))
	}
	return []Spec{
		of(rule.ConfirmUnknown, func(n *scenario.NearCodes) Finding { return unknownCodes(n.Confirms, Status(refusal)) }),
		spec(rule.ReleaseUnknown,
			everywhere(judgeOnce(scenario.PlayNearCodes, func(n *scenario.NearCodes) Finding { return unknownCodes(n.Releases, Status(ok)) })),
			moved(func(n *scenario.NearCodes) Move {
				return Move{before: n.Opening.Held, after: n.Held, stop: n.Stop, between: codeExchanges(n.Releases)}
			}),
			optionalStep(moved(func(n *scenario.NearCodes) Move {
				return Move{before: n.Confirm.After, after: n.Crossed, stop: n.Stop, between: codeExchanges(n.Releases)}
			}))),
		of(rule.ReleaseUnknownSuccess, func(n *scenario.NearCodes) Finding { return unknownCodes(n.Releases, Succeed) }),
		spec(rule.CancelUnknown,
			everywhere(judgeOnce(scenario.PlayNearCodes, func(n *scenario.NearCodes) Finding { return unknownCodes(n.Cancels, Status(ok)) })),
			moved(func(n *scenario.NearCodes) Move {
				return Move{before: n.Crossed, after: n.Booked, stop: n.Stop, between: codeExchanges(n.Cancels)}
			})),
		of(rule.CancelUnknownSuccess, func(n *scenario.NearCodes) Finding { return unknownCodes(n.Cancels, Succeed) }),
	}
}

func unknownCodes(all scenario.CodeTries, right Check) Finding {
	for _, try := range all {
		if try.Answer.Failure != nil {
			continue // a closed connection shows nothing about the code
		}
		if flaw := right(try.Answer); flaw != "" {
			like := "a live one "
			if try.Strange {
				like = ""
			}
			return Breach("an unknown code, %s%s: %s", like, try.Form, flaw).WithEvidence(try.Answer.Exchange)
		}
	}
	return Finding{}
}

func exchanges(tries scenario.KeyTries) []*report.Exchange {
	return list(tries, func(t scenario.KeyTry) *report.Exchange { return t.Answer.Exchange })
}

func codeExchanges(tries scenario.CodeTries) []*report.Exchange {
	return list(tries, func(t scenario.CodeTry) *report.Exchange { return t.Answer.Exchange })
}
