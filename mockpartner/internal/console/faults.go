package console

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/script"
)

type faultsPanel struct {
	Armed    []faultView
	Presets  []presetView
	Write    call // for custom faults
	Clear    call
	MaxArmed int
}

type faultView struct {
	script.Armed
	Form   string // in the form for arming it again
	Disarm call
}

type preset struct{ id, about, fault string }

// presets are common failures that every marketplace must handle.
var presets = []preset{
	{"reserve-refused", "The next reserve is refused for lack of seats: 400 with a message for the customer.",
		`{"match":{"endpoint":"reserve"},"times":1,"status":400,"body":{"message":"This time has just sold out."}}`},
	{"reserve-fails", "The next reserve fails with 500.", `{"match":{"endpoint":"reserve"},"times":1,"status":500}`},
	{"reserve-too-late", "The next reserve is answered just after the marketplace has given up; the seats are held.",
		`{"match":{"endpoint":"reserve"},"times":1,"when":"after","delay":{"just-over":"reserve"}}`},
	{"confirm-lost", "The next confirm books, and its answer is lost: the connection is reset.",
		`{"match":{"endpoint":"confirm"},"times":1,"when":"after","fault":"CONNECTION_RESET_BY_PEER"}`},
	{"release-twice-bad", "Each hold's first two releases fail with 503.", `{"match":{"endpoint":"release"},"key":"hold","times":2,"status":503}`},
	{"cancel-unsupported", "Cancel is answered with 404: the partner has none.", `{"match":{"endpoint":"cancel"},"status":404}`},
	{"availability-down", "Availability fails with 503 until this is disarmed.", `{"match":{"endpoint":"availability"},"status":503}`},
	{"catalog-cut", "The next catalog ends in the middle.", `{"match":{"endpoint":"products"},"times":1,"fault":"MALFORMED_RESPONSE_CHUNK"}`},
	{"probe-down", "The health probe fails with 500 three times.", `{"match":{"endpoint":"products","query":{"limit":"1"}},"times":3,"status":500}`},
	{"slow", "Every answer takes 1 to 3 seconds.", `{"delay":{"uniform":{"min":"1s","max":"3s"}}}`},
}

type presetView struct {
	About string
	Arm   call
}

// maxFormShown is how much of a fault is shown, in bytes. It may contain a large body.
const maxFormShown = 2 << 10

func (b *builder) faults() faultsPanel {
	panel := faultsPanel{MaxArmed: script.MaxFaults}
	for _, armed := range b.box.Faults().Faults() {
		form, err := json.Marshal(armed.Fault)
		if err != nil {
			form = []byte(err.Error())
		}
		if len(form) > maxFormShown {
			form = append(form[:maxFormShown:maxFormShown], "…"...)
		}
		panel.Armed = append(panel.Armed, faultView{
			Armed: armed,
			Form:  strings.ToValidUTF8(string(form), ""),
			Disarm: b.call(call{
				ID: "disarm-" + armed.Name, Label: "Disarm", Of: armed.Name,
				Method: http.MethodDelete, Path: "/faults/" + url.PathEscape(armed.Name),
			}),
		})
	}
	for _, p := range presets {
		panel.Presets = append(panel.Presets, presetView{About: p.about, Arm: b.call(call{
			ID: "arm-" + p.id, Label: "Arm", Of: strings.ReplaceAll(p.id, "-", " "), Method: http.MethodPost, Path: "/faults",
			Fields: []field{{Kind: rawField, Name: "fault", Value: p.fault}},
		})})
	}
	panel.Write = b.call(call{
		ID: "arm-own", Label: "Arm", Of: "the fault in the box", Method: http.MethodPost, Path: "/faults",
		Fields: []field{{Kind: rawField, Name: "fault", Label: "A fault, or a list of them, in YAML or JSON", Hint: "match: {endpoint: reserve}\nkey: slot\ntimes: 2\nstatus: 500"}},
	})
	panel.Clear = b.call(call{ID: "disarm-all", Label: "Disarm all", Of: "faults", Method: http.MethodDelete, Path: "/faults", Off: len(panel.Armed) == 0})
	return panel
}

// partsPanel lists the defects or the variants, which can be applied and removed.
type partsPanel struct {
	ID, Title, About string
	Parts            []partView // applied ones first
	Applied          int
	Words            string   // what is searched for
	Others           []choice // the rest of the selection
	More             more
}

type partView struct {
	Name    string
	Of      string // the rule that it breaks, or the clause that allows it
	Words   string
	Applied bool
	Toggle  call
}

func (b *builder) parts() []partsPanel {
	panels := []partsPanel{
		{ID: string(defects.Defects), Title: "Defects", About: "Mistakes that real partners make. Each breaks one rule of the contract."},
		{ID: string(defects.Variants), Title: "Variants", About: "Unusual behaviour within the contract. A marketplace must support all of them."},
	}
	played := b.box.Faults().Origins()
	for i := range panels {
		panel := &panels[i]
		panel.Words, panel.Others = b.choice.found[panel.ID], b.choice.hiddenFields(panel.ID)
		var views []partView // applied ones first
		for _, p := range defects.Kind(panel.ID).All() {
			view := partView{Name: p.Name, Of: p.Rule + p.Clause, Words: cmp.Or(p.Mistake, p.Looks), Applied: slices.Contains(played, p.Origin())}
			switch {
			case view.Applied:
				views = slices.Insert(views, panel.Applied, view)
				panel.Applied++
			case view.matches(panel.Words):
				views = append(views, view)
			}
		}
		listed := max(panel.Applied, b.choice.limit(panel.ID, fewParts, len(views)))
		for _, view := range views[:min(listed, len(views))] {
			panel.Parts = append(panel.Parts, b.part(panel.ID, view))
		}
		panel.More = b.choice.more(panel.ID, len(panel.Parts), len(views))
	}
	return panels
}

// fewParts is how many defects are listed until more are asked for.
const fewParts = 5

// matches reports whether a part has each of the words in its name, its rule or its description.
func (p partView) matches(words string) bool {
	text := strings.ToLower(p.Name + " " + p.Of + " " + p.Words)
	for _, word := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// part returns a part with the call that applies it, or removes it.
func (b *builder) part(kind string, p partView) partView {
	toggle := call{ID: kind + "-" + p.Name, Label: "Apply", Of: p.Name, Method: http.MethodPost, Path: "/" + kind + "/" + url.PathEscape(p.Name)}
	if p.Applied {
		toggle.Label, toggle.Method = "Take off", http.MethodDelete
	}
	p.Toggle = b.call(toggle)
	return p
}
