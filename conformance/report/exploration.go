package report

// Exploration is what came of the random lifecycles that were played.
type Exploration struct {
	Stories   int    `json:"stories"`          // asked for
	Seed      uint64 `json:"seed"`             // of the first story; each further one has the next
	Played    int    `json:"played"`           // to their end, or until one broke
	Steps     int    `json:"steps"`            // of the stories that were played
	Disturbed int    `json:"disturbed"`        // of the stories played, those in which other customers moved seats
	Broken    *Story `json:"broken,omitempty"` // nil: none broke
}

// Story is the shortest lifecycle that was found to break the contract.
type Story struct {
	Seed  uint64      `json:"seed"`  // of the story that it was cut out of: --explore 1 --seed repeats it
	Drawn int         `json:"drawn"` // how many steps that had
	Tries int         `json:"tries"` // how many stories were played to shorten it
	Slots []string    `json:"slots"` // the slots that its steps name, in words
	Steps []StoryStep `json:"steps"` // the last one is where it breaks
}

// StoryStep is one step of a story.
type StoryStep struct {
	Does string   `json:"does"` // such as "reserve 2 seats of slot A"
	Want string   `json:"want"`
	Got  string   `json:"got"`
	Curl []string `json:"curl"` // the calls that it was made of, in their order
}
