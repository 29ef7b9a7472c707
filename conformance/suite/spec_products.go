package suite

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// longAgo is before any product was modified.
const longAgo = "2000-01-01T00:00:00Z"

func (s *session) describeProducts() {
	for _, r := range []rule.Rule{rule.Reachable, rule.KeyAccepted, rule.ProductsStatus, rule.ProductsJSON, rule.ProductsShape} {
		s.judge(r, func(ctx context.Context, c *check) { c.catalog(ctx) })
	}
	for _, f := range rulesOf(productFields, rule.UnitFixedID) {
		s.judge(f, func(ctx context.Context, c *check) {
			c.catalog(ctx)
			c.clean()
		})
	}
	s.judge(rule.ProductUnique, func(ctx context.Context, c *check) {
		c.unique("products", ids(c.catalog(ctx).products))
	})
	s.judge(rule.OptionUnique, func(ctx context.Context, c *check) {
		for i, product := range c.catalog(ctx).products {
			c.unique(fmt.Sprintf("products[%d].options", i), optionIDs(product))
		}
	})
	s.judge(rule.UnitUnique, func(ctx context.Context, c *check) {
		for i, product := range c.catalog(ctx).products {
			for j, option := range product.Options {
				c.unique(fmt.Sprintf("products[%d].options[%d].units", i, j), unitIDs(option))
			}
		}
	})
	s.judge(rule.ProductPermanent, func(ctx context.Context, c *check) {
		c.same("products", ids(c.catalog(ctx).products), ids(c.secondPull(ctx)))
	})
	s.judge(rule.OptionPermanent, func(ctx context.Context, c *check) {
		c.eachTwin(ctx, func(first, second discover.Product) {
			c.same(fmt.Sprintf("options of product %q", first.ID), optionIDs(first), optionIDs(second))
		})
	})
	s.judge(rule.UnitPermanent, func(ctx context.Context, c *check) {
		c.eachTwin(ctx, func(first, second discover.Product) {
			for _, option := range first.Options {
				twin := slices.IndexFunc(second.Options, func(o discover.Option) bool { return o.ID == option.ID })
				if twin >= 0 {
					c.same(fmt.Sprintf("units of product %q, option %q", first.ID, option.ID), unitIDs(option), unitIDs(second.Options[twin]))
				}
			}
		})
	})
	s.judge(rule.ProbeStatus, func(ctx context.Context, c *check) {
		c.catalog(ctx)
		answer, o := s.products(ctx, "health probe", probeQuery(), probe.GoodKey)
		c.past(o)
		c.expect(answer).To(haveStatus(http.StatusOK))
	})
	s.judge(rule.UpdatedSince, func(ctx context.Context, c *check) {
		c.catalog(ctx)
		answer, o := s.products(ctx, "pull of what changed since "+longAgo, url.Values{"updated_since": {longAgo}}, probe.GoodKey)
		c.past(o)
		c.expect(answer).To(haveStatus(http.StatusOK))
		problem := ""
		_, o = s.readCatalog(ctx, answer, func(i int, product any) {
			for _, found := range schemas.ValidateValue(schemas.Product, product) {
				problem = cmp.Or(problem, found.Under(fmt.Sprintf("/products/%d", i)).String())
			}
		})
		switch {
		case o != nil && o.Rule == nil:
			c.past(o)
		case o != nil:
			c.fail("%s", o.Message)
		case problem != "" && len(s.findings) == 0: // what a full pull shows as well is judged there
			c.fail("%s", problem)
		}
	})
	s.judge(rule.AdultUnit, func(ctx context.Context, c *check) { c.eachOption(ctx, withoutAdult) })
	s.judge(rule.CurrencyDecimals, func(ctx context.Context, c *check) { c.eachUnit(ctx, oddDecimals) })
	s.judge(rule.AgeRange, func(ctx context.Context, c *check) { c.eachUnit(ctx, noAge) })
	s.describeProductKeys()
}

func (s *session) describeProductKeys() {
	refused := func(purpose string, query url.Values, key probe.Key) func(context.Context, *check) {
		return func(ctx context.Context, c *check) {
			c.catalog(ctx)
			answer, o := s.products(ctx, purpose, query, key)
			c.past(o)
			c.expect(answer).To(haveStatus(http.StatusUnauthorized))
		}
	}
	s.judge(rule.ProductsWrongKey, refused("pull with a wrong key", nil, probe.WrongKey))
	s.judge(rule.ProductsMissingKey, refused("pull without a key", nil, probe.NoKey))
	s.judge(rule.ProbeWrongKey, refused("health probe with a wrong key", probeQuery(), probe.WrongKey))
	s.judge(rule.ProbeMissingKey, refused("health probe without a key", probeQuery(), probe.NoKey))
}

// catalog returns the survey; where there is no catalog the judging ends.
func (c *check) catalog(ctx context.Context) *survey {
	survey := c.surveyed(ctx)
	c.past(survey.stopped)
	return survey
}

// secondPull returns the products of another pull of the catalog.
func (c *check) secondPull(ctx context.Context) []discover.Product {
	survey := c.catalog(ctx)
	c.past(survey.second.stopped)
	c.show(survey.pull, survey.second.exchange)
	return survey.second.products
}

// eachTwin calls judge with every product of the first pull and the same one
// of the second.
func (c *check) eachTwin(ctx context.Context, judge func(first, second discover.Product)) {
	second := map[string]discover.Product{}
	for _, product := range c.secondPull(ctx) {
		second[product.ID] = product
	}
	for _, product := range c.catalog(ctx).products {
		if twin, ok := second[product.ID]; ok {
			judge(product, twin)
		}
	}
}

// eachOption fails where wrong says something of an option.
func (c *check) eachOption(ctx context.Context, wrong func(discover.Option) string) {
	for i, product := range c.catalog(ctx).products {
		for j, option := range product.Options {
			if message := wrong(option); message != "" {
				c.problems = append(c.problems, fmt.Sprintf("products[%d].options[%d]: %s", i, j, message))
			}
		}
	}
	c.failForProblems()
}

// eachUnit fails where wrong says something of a unit.
func (c *check) eachUnit(ctx context.Context, wrong func(discover.Unit) string) {
	for i, product := range c.catalog(ctx).products {
		for j, option := range product.Options {
			for k, unit := range option.Units {
				if message := wrong(unit); message != "" {
					c.problems = append(c.problems, fmt.Sprintf("products[%d].options[%d].units[%d]: %s", i, j, k, message))
				}
			}
		}
	}
	c.failForProblems()
}

// failForProblems fails where problems of the catalog were noted.
func (c *check) failForProblems() {
	if len(c.problems) > 0 {
		c.show(c.survey.pull)
		c.problems = c.problems[:min(len(c.problems), mostFindings)]
		c.fail("%s", c.problems[0])
	}
}

func oddDecimals(unit discover.Unit) string {
	for i, price := range unit.Prices {
		if want := partnerapi.CurrencyDecimals(price.Currency); price.Precision != int64(want) {
			return fmt.Sprintf("pricingFrom[%d]: want a precision of %d for %s, got %d", i, want, price.Currency, price.Precision)
		}
	}
	return ""
}

func noAge(unit discover.Unit) string {
	if unit.MinAge != nil && unit.MaxAge != nil && *unit.MinAge > *unit.MaxAge {
		return fmt.Sprintf("restrictions: want minAge at most maxAge, %d, got %d", *unit.MaxAge, *unit.MinAge)
	}
	return ""
}

func withoutAdult(option discover.Option) string {
	if slices.ContainsFunc(option.Units, func(u discover.Unit) bool { return u.ID == partnerapi.AdultUnitID }) {
		return ""
	}
	return fmt.Sprintf("want a unit %q, got %q", partnerapi.AdultUnitID, unitIDs(option))
}

// unique fails where an id stands twice in a list. What has no id is judged by
// another rule.
func (c *check) unique(place string, list []string) {
	first := map[string]int{}
	for i, id := range list {
		if before, seen := first[id]; seen && id != "" {
			c.show(c.survey.pull)
			c.fail("%s[%d].id: want an id of its own, got that of %s[%d], %q", place, i, place, before, id)
		}
		first[id] = i
	}
}

// same fails where two lists of ids differ, whatever their order.
func (c *check) same(place string, first, second []string) {
	gone, came := without(first, second), without(second, first)
	switch {
	case len(gone) > 0 && len(came) > 0:
		c.fail("%s: want the ids of the pull before, got %s in place of %s", place, few(came), few(gone))
	case len(gone) > 0:
		c.fail("%s: want the ids of the pull before, %s is missing", place, few(gone))
	case len(came) > 0:
		c.fail("%s: want the ids of the pull before, %s is new", place, few(came))
	}
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	in := map[string]bool{}
	for _, id := range b {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return in[id] })
}

// few quotes the first ids of a list.
func few(list []string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, id := range list[:min(len(list), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	if len(list) > most {
		quoted = append(quoted, fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(quoted, ", ")
}

func ids(products []discover.Product) []string {
	list := make([]string, len(products))
	for i, product := range products {
		list[i] = product.ID
	}
	return list
}

func optionIDs(product discover.Product) []string {
	list := make([]string, len(product.Options))
	for i, option := range product.Options {
		list[i] = option.ID
	}
	return list
}

func unitIDs(option discover.Option) []string {
	list := make([]string, len(option.Units))
	for i, unit := range option.Units {
		list[i] = unit.ID
	}
	return list
}

// rulesOf returns the rules that a table of fields names, each once, and more.
func rulesOf(fields []field, more ...rule.Rule) []rule.Rule {
	var rules []rule.Rule
	add := func(r rule.Rule) {
		if !slices.ContainsFunc(rules, func(known rule.Rule) bool { return known.ID == r.ID }) {
			rules = append(rules, r)
		}
	}
	for _, f := range fields {
		add(f.rule)
	}
	for _, r := range more {
		add(r)
	}
	return rules
}
