package explore

import "slices"

// Verdict is what came of a story that was played.
type Verdict int

// The verdicts.
const (
	Held  Verdict = iota // the contract held
	Broke                // the contract was broken at some step
	Over                 // no further story can be played
)

// Found is a story that breaks.
type Found struct {
	Story Story  // the shortest
	First Story  // the one that it was cut out of
	Seed  uint64 // of that: a search that begins there draws it first
	Tries int    // how many stories were played to shorten it
}

// Player plays stories. The seed is that of the story, or of the one that it was cut
// out of. Each is to be played from the same beginning. It returns how many steps the
// story takes to break as well.
type Player func(seed uint64, story Story) (v Verdict, steps int)

// Search has count stories played, drawn from seed and the seeds after it, until one
// breaks, and then shorter ones. The same seed draws the same stories; seeds begin
// at 1. It returns how many of the count were played, and the story that breaks, or
// nil.
func Search(from Material, count int, seed uint64, play Player) (played int, found *Found) {
	for ; played < count; played++ {
		s := search{play: play, found: Found{Seed: seed + uint64(played)}}
		s.judge(from.Draw(s.found.Seed))
		if s.found.First != nil {
			s.trim()
			return played + 1, &s.found
		}
		if s.over {
			return played, nil
		}
	}
	return played, nil
}

// search is the search for the shortest story of one seed.
type search struct {
	play  Player
	found Found
	broke []Story // what was played, up to where it breaks
	held  []Story
	over  bool
}

// MostTries bounds the stories that are played to shorten one.
const MostTries = 60

// judge has a story played, unless it is known what would come of it: many that are
// cut out of one are the same in their beginning.
func (s *search) judge(story Story) Verdict {
	switch {
	case slices.ContainsFunc(s.broke, story.beginsWith):
		return Broke
	case slices.ContainsFunc(s.held, func(longer Story) bool { return longer.beginsWith(story) }):
		return Held
	case s.over, s.found.Tries >= MostTries:
		return Over
	}
	verdict, steps := s.play(s.found.Seed, story)
	first := s.found.First == nil
	if !first {
		s.found.Tries++
	}
	switch verdict {
	case Over:
		s.over = true
	case Held:
		s.held = append(s.held, story)
	case Broke:
		if first {
			s.found.First = story
		}
		story = story[:steps]
		s.broke = append(s.broke, story)
		if first || len(story) <= len(s.found.Story) {
			s.found.Story = story
		}
	}
	return verdict
}

// trim leaves single steps out until none can be.
func (s *search) trim() {
	for before := 0; before != len(s.found.Story); {
		before = len(s.found.Story)
		for i := before - 2; i >= 0; i-- { // the last step is the one that breaks
			i = min(i, len(s.found.Story)-2)
			s.judge(s.found.Story.without(i))
		}
	}
}
