package control

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/script"
)

func showFaults(c *call) (any, error) {
	armed, never := c.box.Faults().Faults(), []string{}
	for _, fault := range armed {
		if fault.Fired == 0 {
			never = append(never, fault.Name)
		}
	}
	return keys{"faults": armed, "neverFired": never}, nil
}

func armFaults(c *call) (any, error) {
	return add(c, "faults", script.ParseFaults, c.box.Faults().Arm)
}

// add adds one item or a list of items from the body, all or none.
func add[T, A any](c *call, key string, parse func(name string, text []byte) ([]T, error), arm func(...T) ([]A, error)) (any, error) {
	list, err := parseBody(c, maxBody, parse)
	if err != nil {
		return nil, err
	}
	added, err := arm(list...)
	return answer{http.StatusCreated, keys{key: added}}, err
}

// armRecorded arms a fault from a recorded exchange.
func armRecorded(c *call) (any, error) {
	kept := c.box.Journal()
	number, err := strconv.ParseUint(c.variable("exchange"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("exchange: expected the number of an exchange, received %q", c.variable("exchange"))
	}
	recorded, ok := kept.Exchange(number)
	if !ok {
		return nil, reply.Refuse(http.StatusNotFound, "the journal has no exchange %d: GET %s/journal lists them", number, Path)
	}
	added, err := c.box.Faults().ArmRecorded(recorded)
	return answer{http.StatusCreated, keys{"faults": added}}, err
}

func disarmFault(c *call) (any, error) {
	name := c.variable("name")
	err := c.box.Faults().Disarm(name)
	if err != nil {
		err = fmt.Errorf("%w: GET %s/faults lists them", err, Path)
	}
	return keys{"deleted": name}, err
}

func disarmFaults(c *call) (any, error) { return keys{"deleted": c.box.Faults().Clear()}, nil }

func showQuirks(c *call) (any, error) { return keys{"quirks": c.box.Faults().Quirks()}, nil }

func addQuirks(c *call) (any, error) {
	return add(c, "quirks", script.ParseQuirks, c.box.Faults().AddQuirks)
}

func removeQuirk(c *call) (any, error) {
	name := c.variable("name")
	err := c.box.Faults().RemoveQuirk(name)
	if errors.Is(err, script.ErrQuirkMissing) {
		err = fmt.Errorf("%w: GET %s/quirks lists them; those of a scenario, a defect or a variant are removed with it", err, Path)
	}
	return keys{"deleted": name}, err
}

func removeQuirks(c *call) (any, error) {
	n, err := c.box.Faults().ClearQuirks()
	return keys{"deleted": n}, withStatus(http.StatusConflict, err)
}

func showParts(kind defects.Kind) handler {
	type listed struct {
		defects.Partner
		Applied bool `json:"applied"` // in the request's sandbox
	}
	return func(c *call) (any, error) {
		list, played := []listed{}, c.box.Faults().Origins()
		for _, p := range kind.All() {
			list = append(list, listed{p, slices.Contains(played, p.Origin())})
		}
		return keys{string(kind): list}, nil
	}
}

func applyPart(kind defects.Kind) handler {
	return func(c *call) (any, error) {
		p, err := kind.Find(c.variable("name"))
		if err != nil {
			return nil, err
		}
		if p.Scenario().Catalog != nil {
			return nil, reply.Refuse(http.StatusConflict, "it has its own catalog: start a mock or create a sandbox with it")
		}
		if p.AboutWebhooks() {
			return nil, reply.Refuse(http.StatusConflict, "it shows in webhooks only: start a mock with it and with webhooks, or make a sandbox with both")
		}
		return c.listApplied(withStatus(http.StatusConflict, c.box.Faults().Play(p.Part())))
	}
}

func removePart(kind defects.Kind) handler {
	return func(c *call) (any, error) {
		origin := kind.Origin(c.variable("name"))
		there, err := c.box.Faults().Stop(origin)
		if err == nil && !there {
			return nil, reply.Refuse(http.StatusNotFound, "the sandbox has no %s", origin)
		}
		return c.listApplied(withStatus(http.StatusConflict, err))
	}
}

// listApplied lists the origins that are active, unless there is an error.
func (c *call) listApplied(err error) (any, error) {
	return keys{"applied": c.box.Faults().Origins()}, err
}

func scenarioSchema(*call) (any, error) { return script.Schema(), nil }

func playScenario(c *call) (any, error) {
	scenario, err := parseBody(c, maxBody, script.ParseBody)
	if err == nil && scenario.Webhooks != nil {
		err = c.mayCall(*scenario.Webhooks)
	}
	if err == nil {
		err = c.box.Follow(scenario)
	}
	return c.listApplied(err)
}

func stopScenario(c *call) (any, error) {
	return c.listApplied(withStatus(http.StatusConflict, c.box.Unfollow()))
}
