package console

// confirmPage asks before something is done that cannot be undone.
type confirmPage struct {
	frame
	Says   []string // what comes of it
	Form   *form    // what has to be told; nil: nothing
	Do     string   // the button's words
	Action string   // where the form goes
	Back   string
}
