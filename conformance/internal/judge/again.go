package judge

import (
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

// KeySpecs returns the specs that judge the rules about the keys of reads again: with keys similar to the
// registered one, several times, on new connections and on ones that have carried the registered
// key.
func KeySpecs() []Spec {
	reads := func(r rule.Rule, missing bool, of func(*scenario.KeysOfReads) scenario.KeyTries) Spec {
		return spec(r, judgeOnce(scenario.PlayKeysOfReads, func(k *scenario.KeysOfReads) Finding { return keysRefused(of(k), missing) }))
	}
	products := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Products }
	probes := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Probe }
	slots := func(k *scenario.KeysOfReads) scenario.KeyTries { return k.Availability }
	return []Spec{
		reads(rule.ProductsMissingKey, true, products), reads(rule.ProductsWrongKey, false, products),
		reads(rule.ProbeMissingKey, true, probes), reads(rule.ProbeWrongKey, false, probes),
		reads(rule.AvailabilityMissingKey, true, slots), reads(rule.AvailabilityWrongKey, false, slots),
	}
}

// NearKeys returns calls about holds and bookings with keys that are similar to the registered one.
func NearKeys() []Stories {
	return []Stories{story(scenario.PlayNearKeys), story(scenario.PlayNearReleases), story(scenario.PlayNearCancels)}
}

// NearCodes returns calls with codes and booking ids that are similar to live ones.
func NearCodes() []Stories {
	return []Stories{join(story(scenario.PlayNearCodes), stories(perOption(scenario.PlayProducts, scenario.PlayNearCodesIn)))}
}

// Early returns what was made early in the run and is used again: the passing of seconds must make no difference, for
// any party. The last hold is confirmed shortly before it expires, when the others need not live any more.
func Early() (all []Stories) {
	last := story(scenario.PlayKept(scenario.LeftHeld, scenario.EarlyGuest))
	for _, party := range scenario.EarlyParties() {
		for _, state := range scenario.EarlyStates(party) {
			if !scenario.IsLastMoment(state, party) {
				all = append(all, story(scenario.PlayKept(state, party)))
			}
		}
	}
	return append(all, story(scenario.PlayUnknownAgain), last)
}

// keysRefused finds a call without the registered key that was not answered 401. missing selects
// calls without a key; otherwise it judges calls with another key.
func keysRefused(all scenario.KeyTries, missing bool) (f Finding) {
	for _, try := range all {
		if try.Key.IsMissing() != missing || try.Answer.HasStatus(unauthorized...) {
			continue
		}
		f = Breach("%s: expected 401, received %s", try, try.Answer.Words()).WithEvidence(try.Answer.Exchange)
		if try.Key == probe.EmptyKey {
			f.Suspects = keyMissing(try.Answer.Endpoint)
		}
		return f
	}
	return f
}
