package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

// newSeeds bounds the seeds that are drawn: they are to be typed again.
const newSeeds = 1_000_000

// exploreFlags are the flags about random lifecycles.
type exploreFlags struct {
	stories int
	seed    uint64
}

func (f *exploreFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.stories, "explore", 0, fmt.Sprintf("play `N` random lifecycles besides, at most %d; one that breaks is cut down to its shortest form", suite.MostStories))
	flags.Uint64Var(&f.seed, "seed", 0, "the `seed` of the random lifecycles, which plays the same ones again (one is drawn)")
}

// apply enters the flags into the configuration. Where no seed is given it draws one.
func (f exploreFlags) apply(config *suite.Config) error {
	if f.seed > 0 && f.stories == 0 {
		return fmt.Errorf("--seed %d goes with --explore N", f.seed)
	}
	config.Explore, config.Seed = f.stories, f.seed
	if f.seed == 0 {
		config.Seed = 1 + rand.Uint64N(newSeeds)
	}
	return nil
}

// exploration says what was played, and tells the story that breaks.
func (s *screen) exploration(e *report.Exploration) {
	if e == nil {
		return
	}
	s.printf("%d of %d random lifecycles played, of %d steps; --explore %d --seed %d plays them again\n", e.Played, e.Stories, e.Steps, e.Stories, e.Seed)
	if e.Broken == nil {
		return
	}
	s.printf("\nthe shortest story that breaks, of %d steps at first, found by playing %d more:\n", e.Broken.Drawn, e.Broken.Tries)
	for _, slot := range e.Broken.Slots {
		s.printf("  %s\n", oneLine(slot))
	}
	for i, step := range e.Broken.Steps {
		s.printf("  %2d. %s\n      want %s\n      got  %s\n", i+1, oneLine(step.Does), oneLine(step.Want), oneLine(step.Got))
		for _, curl := range step.Curl {
			s.printf("      %s\n", oneLine(curl))
		}
	}
	s.printf("\n")
}
