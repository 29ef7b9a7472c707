package view

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	printer "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
)

// reader is someone who has a report open in the browser.
type reader struct{ *browsertest.Tab }

// open opens the report of a run, as a file, at what follows its address. What
// prepares the tab is done before.
func open(t *testing.T, browser context.Context, r *report.Result, at string, prepare ...browsertest.Action) reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, render(t, HTML, seal(t, r)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := reader{browsertest.Open(t, browser, "file://"+path, prepare...)}
	o.GoTo(at)
	return o
}

// rules expects just these rules to be on the page.
func (o reader) rules(want ...rule.Rule) {
	o.T.Helper()
	var ids []string
	for _, r := range want {
		ids = append(ids, r.ID)
	}
	o.Is(`[...document.querySelectorAll(".rule:not([hidden])")].map(r => r.id).join()`, strings.Join(ids, ","))
}

// seeRule expects a rule to be on the screen, unfolded.
func (o reader) seeRule(r rule.Rule) {
	o.T.Helper()
	o.See(fmt.Sprintf(`(() => { const r = document.getElementById(%q), at = r.getBoundingClientRect();
		return r.checkVisibility({contentVisibilityAuto: true}) && at.top >= -1 && at.top < innerHeight / 2 && at.height > 60; })()`, r.ID))
}

// search types into the search field.
func (o reader) search(text string) {
	o.T.Helper()
	browsertest.Value[any](o.Tab, `document.querySelector("[name=text]").select()`)
	o.Do(chromedp.SendKeys(chromedp.CSS("[name=text]"), text))
}

// expandAll opens every collapsed element.
const expandAll = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

func TestTheReportInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)

	t.Run("what is searched for is what is left, and the address keeps it", func(t *testing.T) {
		t.Parallel()
		r := handful(t)
		o := open(t, b, r, "")
		o.search("went FROM 12")
		o.rules(rule.ReserveVacanciesMany)
		o.Is(`document.querySelector("output").value`, fmt.Sprintf("1 of %d rules", len(r.Rules)))
		o.Is(`location.search`, "?text=went+FROM+12")
		o.Do(chromedp.Reload())
		o.rules(rule.ReserveVacanciesMany)
		o.search("no rule says this")
		o.rules()
		o.See(`!document.querySelector(".nothing").hidden`)
		o.Click(".filter button")
		o.Is(`document.querySelector("output").value`, fmt.Sprintf("%[1]d of %[1]d rules", len(r.Rules)))
		o.Is(`location.search`, "")
		o.RequireNoProblems()
	})

	t.Run("the keyboard alone filters by outcome, by level and by endpoint", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "")
		for _, left := range []string{"passed", "warned", "inconclusive", "blocked", "skipped", "not_applicable"} {
			o.Do(chromedp.Focus(chromedp.CSS("[value="+left+"]")), chromedp.KeyEvent(" "))
		}
		o.rules(rule.ReserveVacanciesMany, rule.ReserveLimit)
		o.Is(`location.search`, "?outcome=failed")
		o.Do(chromedp.Focus(chromedp.CSS("[name=text]")))
		o.Press(kb.Tab, `document.activeElement.value === "reserve"`)
		o.Keys(" ")
		o.rules()
		o.Is(`location.search`, "?outcome=failed&endpoint=products%2Cavailability%2Cconfirm%2Crelease%2Ccancel")
		o.RequireNoProblems()
	})

	t.Run("a link to a rule unfolds it and shows its evidence, whatever was filtered out", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "#"+rule.ReserveCode.ID)
		o.seeRule(rule.ReserveCode)
		o.GoTo("?outcome=warned#" + rule.ReserveVacanciesMany.ID)
		o.seeRule(rule.ReserveVacanciesMany)
		o.See(fmt.Sprintf(`document.querySelector('[id="%s"] .curl').checkVisibility()`, rule.ReserveVacanciesMany.ID))
		o.Is(`location.search`, "")
		o.RequireNoProblems()
	})

	t.Run("a run with twelve failures is a short page", func(t *testing.T) {
		t.Parallel()
		r := sampleResult(t)
		for i := range r.Rules {
			if i%20 == 0 {
				r.Rules[i].Outcome, r.Rules[i].Message, r.Rules[i].Exchanges = report.Failed, "Expected 200, received 404", []report.Exchange{reserveExchange()}
			}
		}
		for n := range int64(40) {
			r.Slots = append(r.Slots, report.SlotSeats{ProductID: "cruise", OptionID: "sunset", AvailabilityID: fmt.Sprint(n), Start: "2026-07-09T19:30:00+02:00", Before: 9, After: n % 9, Differs: true})
		}
		o := open(t, b, r, "")
		o.Do(chromedp.EmulateViewport(1440, 900))
		o.See(`document.querySelectorAll(".finding").length >= 12 && document.documentElement.scrollHeight < 3000`)
		o.See(`document.querySelectorAll(".finding[open]").length === 1 && document.querySelector(".finding").open`)
		o.RequireNoProblems()
	})

	t.Run("a curl line is copied by its button", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "#"+rule.ReserveVacanciesMany.ID)
		button := fmt.Sprintf(`[id="%s"] .copy`, rule.ReserveVacanciesMany.ID)
		o.Click(button)
		o.See(fmt.Sprintf(`document.querySelector('%s').textContent === "Copied"`, button))
		o.Do(chromedp.Focus(chromedp.CSS("[name=text]")),
			browsertest.Command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyDown", Commands: []string{"paste"}}))
		o.See(fmt.Sprintf(`document.querySelector("[name=text]").value === %q`, reserveExchange().Curl))
		o.RequireNoProblems()
	})

	t.Run("on paper what failed comes with its evidence, and without buttons", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "", browsertest.Media("print", "dark"))
		for _, selector := range []string{".curl pre", ".exchange-body", ".evidence .halves"} {
			o.See(fmt.Sprintf(`[...document.querySelectorAll('.finding %s')].every(e => e.checkVisibility({contentVisibilityAuto: true}))`, selector))
		}
		for _, selector := range []string{".side", ".copy", ".skip"} {
			o.See(fmt.Sprintf(`[...document.querySelectorAll('%s')].every(e => !e.checkVisibility())`, selector))
		}
		o.Is(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
		o.Do(browsertest.Command(printer.PrintToPDF, printer.PrintToPDFParams{}))
		o.Is(`String(document.querySelectorAll(".finding .evidence[open]").length)`, "0") // folded again
		o.RequireNoProblems()
	})

	t.Run("it is readable and accessible in light and dark", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		o := open(t, b, handful(t), "")
		browsertest.Value[any](o.Tab, expandAll)
		grounds := map[string]bool{}
		for _, scheme := range []string{"light", "dark"} {
			o.Do(browsertest.Media("screen", scheme))
			grounds[browsertest.Value[string](o.Tab, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		if len(grounds) != 2 {
			t.Errorf("want another ground in the dark, got %v", grounds)
		}
		axetest.Check(o.Tab, axe)
		o.RequireNoProblems()
	})

	t.Run("nothing is wider than the window, however narrow", func(t *testing.T) {
		t.Parallel()
		r := handful(t)
		r.Target.BaseURL = "https://" + strings.Repeat("long", 60) + ".example/" + strings.Repeat("path", 60)
		ruleOf(t, r, rule.ReserveVacanciesMany.ID).Message = strings.Repeat("nospaces", 100)
		r.Vacancies[0].ProductID = strings.Repeat("product", 40)
		o := open(t, b, r, "")
		browsertest.Value[any](o.Tab, expandAll)
		o.Fits(360, 700, 1100, 1600)
		o.RequireNoProblems()
	})

	t.Run("without its script it can be read as well", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "", browsertest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		o.Is(`String(document.querySelector(".sift").checkVisibility())`, "false")
		evidence := fmt.Sprintf(`[id="%s"] .evidence`, rule.ReserveVacanciesMany.ID)
		o.Click(evidence + " > summary")
		o.See(fmt.Sprintf(`document.querySelector('%s .curl pre').checkVisibility()`, evidence))
		o.Is(fmt.Sprintf(`String(document.querySelector('%s .copy').checkVisibility())`, evidence), "false")
		o.RequireNoProblems()
	})
}
