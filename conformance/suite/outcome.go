package suite

import (
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// Outcome is a finished run: its result, and the redactor that removes the partner's key from
// reports.
type Outcome struct {
	Result   *report.Result
	Redactor *probe.Redactor
}

// WriteReports writes the named views of the result into dir, or all views if no name is given
// (view.Names lists them). It returns their paths and the SHA-256 that identifies the report. A
// file that would contain the key is not written, and the error names it.
func (o *Outcome) WriteReports(dir string, names ...string) (files []string, sum string, err error) {
	fixed, err := view.FixedText(names...)
	if err != nil {
		return nil, "", err
	}
	sealed, err := report.Seal(o.Result)
	if err != nil {
		return nil, "", err
	}
	files, err = view.WriteAll(dir, sealed, o.Redactor.Scanner(fixed...), names...)
	return files, sealed.Integrity.SHA256, err
}
