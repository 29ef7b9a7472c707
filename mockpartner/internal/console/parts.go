package console

import (
	"net/http"
	"net/url"
	"slices"

	"partnerkit.dev/mockpartner/internal/defects"
)

// partsPanel is defects or variants: ways to be another partner, which are put on
// and taken off as they are.
type partsPanel struct {
	ID, Title, About string
	Parts            []partView // those that are put on first
	Applied          int
}

// partView is a defect or a variant.
type partView struct {
	Name    string
	Of      string // the rule that it breaks, or the clause that allows it
	Words   string
	Applied bool
	Toggle  call
}

func (b *builder) parts() []partsPanel {
	played := b.box.Faults().Origins()
	broken := partsPanel{ID: "defects", Title: "Defects", About: "Mistakes of real partners. Each breaks one rule of the contract."}
	for _, d := range defects.Defects() {
		b.add(&broken, partView{Name: d.Name, Of: d.Rule, Words: d.Mistake, Applied: slices.Contains(played, d.Origin())})
	}
	lawful := partsPanel{ID: "variants", Title: "Variants", About: "Lawful ways to be different. A marketplace has to live with all of them."}
	for _, v := range defects.Variants() {
		b.add(&lawful, partView{Name: v.Name, Of: v.Clause, Words: v.Looks, Applied: slices.Contains(played, v.Origin())})
	}
	return []partsPanel{broken, lawful}
}

func (b *builder) add(panel *partsPanel, p partView) {
	toggle := call{ID: panel.ID + "-" + p.Name, Label: "Apply", Of: p.Name, Method: http.MethodPost, Path: "/" + panel.ID + "/" + url.PathEscape(p.Name)}
	if !p.Applied {
		p.Toggle = b.call(toggle)
		panel.Parts = append(panel.Parts, p)
		return
	}
	toggle.Label, toggle.Method = "Take off", http.MethodDelete
	p.Toggle = b.call(toggle)
	panel.Parts = slices.Insert(panel.Parts, panel.Applied, p)
	panel.Applied++
}
