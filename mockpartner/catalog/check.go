package catalog

import (
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// maxProblems is about the maximum number of listed problems. The check stops after the product
// that reaches it.
const maxProblems = 50

// maxSeats is the maximum capacity of a slot, so that no sum of seats overflows.
const maxSeats = 1_000_000

// check lists the problems that make the catalog unlawful or unusable.
func (c *Catalog) check() []yamlfile.Problem {
	var found checker
	if err := c.Policy.Check(); err != nil {
		found.add("codes", "%v", err)
	}
	switch {
	case c.Generate == nil && len(c.Products) == 0:
		found.add("products", "expected at least one product")
	case c.Generate != nil && len(c.Products) > 0:
		found.add("generate", "use products or generate, not both")
	}
	ids := map[string]int{}
	for i := range c.Products {
		if len(found) >= maxProblems {
			break
		}
		path := fmt.Sprintf("products[%d]", i)
		if first, taken := ids[c.Products[i].ID]; taken {
			found.add(path+".id", "%q is already the id of products[%d]; ids are unique (PRD-11)", c.Products[i].ID, first)
		}
		ids[c.Products[i].ID] = i
		found.product(path, &c.Products[i])
	}
	found.sharedSeats(c)
	return found
}

type checker []yamlfile.Problem

func (c *checker) add(path, format string, args ...any) {
	*c = append(*c, yamlfile.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Check returns an error for an unknown code style.
func (p Policy) Check() error {
	if !slices.Contains([]CodeStyle{"", PlainCodes, AwkwardCodes}, p.Codes) {
		return fmt.Errorf("expected plain or awkward, received %q", p.Codes)
	}
	return nil
}

func (c *checker) product(path string, p *Product) {
	c.contract(path, p.Product)
	c.requireName(path, p.InternalName)
	if p.UpdatedAt != "" {
		if _, err := partnerapi.ParseDateTime(p.UpdatedAt); err != nil {
			c.add(path+".updatedAt", "%v", err)
		}
	}
	options := map[string]int{}
	for i, option := range p.Options {
		at := fmt.Sprintf("%s.options[%d]", path, i)
		if first, taken := options[option.ID]; taken {
			c.add(at+".id", "%q is already the id of options[%d]; ids are unique in a product (PRD-11)", option.ID, first)
		}
		options[option.ID] = i
		c.requireName(at, option.InternalName)
		c.units(at, option.Units)
		if limits := option.Restrictions; limits != limits.Usable() {
			c.add(at+".restrictions", "expected 0 <= minUnits <= maxUnits, received minUnits %d and maxUnits %d; 0 means no limit", limits.MinUnits, limits.MaxUnits)
		}
		schedule, ok := p.Schedules[option.ID]
		if !ok {
			c.add(path+".schedules", "expected a schedule for option %q", option.ID)
			continue
		}
		counted := !p.AllowFreesale && !schedule.Freesale
		c.schedule(path+".schedules."+option.ID, option, schedule, counted)
	}
	for _, id := range sortedKeys(p.Schedules) {
		if _, ok := options[id]; !ok {
			c.add(path+".schedules."+id, "the product has no option %q", id)
		}
	}
}

// requireName requires a name. The contract allows an empty one, but in a catalog it is a mistake.
func (c *checker) requireName(path, name string) {
	if name == "" {
		c.add(path+".internalName", "expected a name")
	}
}

// contract validates the product against the schema that applies to every partner's products.
func (c *checker) contract(path string, p partnerapi.Product) {
	text, err := marshal(p)
	if err != nil {
		c.add(path, "%v", err)
		return
	}
	for _, problem := range schemas.Validate(schemas.Product, text) {
		at := path
		if place := problem.Path(); place != "" {
			at += "." + place
		}
		c.add(at, "%s", problem.Message)
	}
}

func (c *checker) units(path string, units []partnerapi.Unit) {
	if len(units) == 0 {
		c.add(path+".units", "expected at least one unit; without one the option cannot be booked")
	}
	seen := map[string]int{}
	for i, unit := range units {
		if first, taken := seen[unit.ID]; taken {
			c.add(fmt.Sprintf("%s.units[%d].id", path, i), "%q is already the id of units[%d]; ids are unique in an option (PRD-11)", unit.ID, first)
		}
		seen[unit.ID] = i
		c.requireName(fmt.Sprintf("%s.units[%d]", path, i), unit.InternalName)
	}
}

func (c *checker) schedule(path string, option partnerapi.Option, s Schedule, counted bool) {
	if s.Calendar != nil {
		c.calendar(path, option.AvailabilityType, s)
		counted = false
	} else {
		c.times(path, option.AvailabilityType, s)
	}
	for i, name := range s.ClosedOn {
		if _, err := parseWeekday(name); err != nil {
			c.add(fmt.Sprintf("%s.closedOn[%d]", path, i), "%v", err)
		}
	}
	if s.CutOff < 0 {
		c.add(path+".cutOff", "expected a duration of 0 or more, received %s", s.CutOff)
	}
	if counted && (s.Capacity.Min < 1 || s.Capacity.Max < s.Capacity.Min || s.Capacity.Max > maxSeats) {
		c.add(path+".capacity", "expected 1 <= min <= max <= %d, received min %d and max %d", maxSeats, s.Capacity.Min, s.Capacity.Max)
	}
	if s.LimitedAt != nil && (*s.LimitedAt < 0 || *s.LimitedAt > maxSeats) {
		c.add(path+".limitedAt", "expected a number of seats from 0 to %d, received %d", maxSeats, *s.LimitedAt)
	}
	c.shares(path, s)
	for _, id := range sortedKeys(s.Seats) {
		has := slices.ContainsFunc(option.Units, func(u partnerapi.Unit) bool { return u.ID == id })
		if !has {
			c.add(path+".seats."+id, "option %q has no unit %q", option.ID, id)
		}
		if s.Seats[id] < 0 || s.Seats[id] > 100 {
			c.add(path+".seats."+id, "expected a number of seats from 0 to 100, received %d", s.Seats[id])
		}
	}
	styles := []PricingStyle{"", PricingAbsent, PricingOwn, PricingEmpty, PricingMixed}
	if !slices.Contains(styles, s.UnitPricing) {
		c.add(path+".unitPricing", "expected absent, own, empty or mixed, received %q", s.UnitPricing)
	}
}

func (c *checker) shares(path string, s Schedule) {
	sum := 0
	for _, share := range []struct {
		name    string
		percent int
	}{{"soldOut", s.SoldOut}, {"closed", s.Closed}, {"limited", s.Limited}} {
		if share.percent < 0 || share.percent > 100 {
			c.add(path+"."+share.name, "expected a share from 0 to 100 percent, received %d", share.percent)
			return
		}
		sum += share.percent
	}
	if sum > 100 {
		c.add(path, "soldOut, closed and limited may add up to at most 100 percent, received %d", sum)
	}
	if s.Limited > 0 && s.LimitedAt != nil && *s.LimitedAt == 0 {
		c.add(path+".limited", "no slot can begin LIMITED with limitedAt 0")
	}
}

func (c *checker) calendar(path string, kind partnerapi.AvailabilityType, s Schedule) {
	if len(s.Starts) > 0 || s.Duration != 0 || s.Opens != "" || s.Closes != "" || len(s.ClosedOn) > 0 || s.Capacity != (Seats{}) ||
		s.SoldOut+s.Closed+s.Limited != 0 || s.UnitPricing != "" {
		c.add(path+".calendar", "a calendar allows only cutOff, limitedAt, freesale, hideVacancies and seats")
	}
	if _, err := s.Calendar.compile(kind); err != nil {
		c.add(path+".calendar", "%v", err)
	}
}

func (c *checker) times(path string, kind partnerapi.AvailabilityType, s Schedule) {
	switch kind {
	case partnerapi.StartTime:
		if s.Opens != "" || s.Closes != "" {
			c.add(path, "opens and closes are for OPENING_HOURS options; a START_TIME option has starts and duration")
		}
		if len(s.Starts) == 0 {
			c.add(path+".starts", "expected at least one start time such as \"09:30\"")
		} else if _, err := parseStarts(s.Starts); err != nil {
			c.add(path+".starts", "%v", err)
		}
		if s.Duration < time.Minute || s.Duration > 30*24*time.Hour {
			c.add(path+".duration", "expected a duration from 1m to 720h, received %s", s.Duration)
		}
	case partnerapi.OpeningHours:
		if len(s.Starts) > 0 || s.Duration != 0 {
			c.add(path, "starts and duration are for START_TIME options; an OPENING_HOURS option has opens and closes")
		}
		if _, err := parseTimeOfDay(s.Opens); err != nil {
			c.add(path+".opens", "%v", err)
		}
		if _, err := parseTimeOfDay(s.Closes); err != nil {
			c.add(path+".closes", "%v", err)
		}
	}
}
