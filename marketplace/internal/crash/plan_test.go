//go:build linux

package crash

import (
	"math/rand/v2"
	"time"
)

// fault is a kind of fault.
type fault string

const (
	killReplica     fault = "replica killed (SIGKILL)"
	pauseReplica    fault = "replica paused (SIGSTOP)"
	pauseSender     fault = "replica paused between recording a confirm and sending it"
	holdReplies     fault = "database's replies to a replica held back"
	loseReply       fault = "reply to a commit lost"
	silenceLink     fault = "a replica's database silent"
	silenceDatabase fault = "database silent for all"
	killDatabase    fault = "PostgreSQL killed (SIGKILL)"
	restartDatabase fault = "PostgreSQL restarted"
	standbyAway     fault = "standby away: commits wait"
	promoteStandby  fault = "standby promoted after the primary was killed"
	readOnly        fault = "database read-only"
	fullDisk        fault = "database's disk full"
)

// choice is a fault with the limits of its duration.
type choice struct {
	fault
	least, most time.Duration
}

// sequence is a sequence of faults, one at a time. Several sequences run concurrently.
type sequence struct {
	choices []choice      // shuffled; each comes once before one is repeated
	pause   time.Duration // from the end of one fault to the beginning of the next
	most    int           // faults; 0: no limit
}

// planned is a planned fault: the pause after the previous one, its duration, and the first replica
// to try.
type planned struct {
	fault
	after, lasts time.Duration
	replica      int
}

// shortSequences returns the faults of the short form: few, with short pauses.
func shortSequences() []sequence {
	const ms = time.Millisecond
	return []sequence{
		{choices: []choice{{fault: killReplica}}, pause: 1500 * ms, most: 2},
		{choices: []choice{{fault: killDatabase}}, pause: 2400 * ms, most: 1},
		{choices: []choice{{fault: loseReply}}, pause: 400 * ms, most: 4},
		{choices: []choice{{pauseReplica, 1000 * ms, 2000 * ms}, {holdReplies, 1000 * ms, 1000 * ms}}, pause: 400 * ms, most: 2},
	}
}

// longSequences returns all faults.
func longSequences() []sequence {
	const s = time.Second
	return []sequence{
		{choices: []choice{{fault: killReplica}}, pause: 5 * s},
		{choices: []choice{{fault: loseReply}}, pause: 2 * s},
		{choices: []choice{{pauseReplica, 10 * s, 90 * s}}, pause: 5 * s},
		// Long enough for another replica to take over the confirm and receive its answer.
		{choices: []choice{{pauseSender, 36 * s, 45 * s}}, pause: 2 * s},
		{choices: []choice{{holdReplies, 20 * s, 60 * s}, {silenceLink, 10 * s, 30 * s}}, pause: 5 * s},
		{choices: []choice{
			{fault: killDatabase}, {restartDatabase, 0, 5 * s}, {standbyAway, 5 * s, 20 * s}, {promoteStandby, s, 6 * s},
			{readOnly, 5 * s, 20 * s}, {fullDisk, 5 * s, 20 * s}, {silenceDatabase, 10 * s, 25 * s},
		}, pause: 5 * s},
	}
}

// plan returns the faults during a run, chosen by the seed. In a short run, no fault takes most of
// the time.
func (s sequence) plan(random *rand.Rand, run time.Duration) (list []planned) {
	var left []choice
	for at := time.Duration(0); s.most == 0 || len(list) < s.most; {
		if len(left) == 0 {
			left = append(left, s.choices...)
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		next := left[0]
		left = left[1:]
		lasts := min(next.least+time.Duration(random.Int64N(int64(next.most-next.least)+1)), run/3)
		if at += s.pause + lasts; at > run && s.most == 0 {
			return list
		}
		list = append(list, planned{next.fault, s.pause, lasts, random.IntN(replicas)})
	}
	return list
}
