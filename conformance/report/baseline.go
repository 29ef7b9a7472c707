package report

// Baseline is what became of the known failures that a run was given.
type Baseline struct {
	File  string       `json:"file"`
	Stale []StaleEntry `json:"stale"` // entries to delete; a run that has any is not accepted
}

// StaleEntry is a known failure that is none, or no longer one.
type StaleEntry struct {
	Rule    string `json:"rule"`
	Line    int    `json:"line"`    // in the baseline's file, from 1
	Message string `json:"message"` // begins with the file and the line, and says what to do
}
