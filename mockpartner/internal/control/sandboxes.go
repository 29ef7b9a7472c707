package control

import (
	"errors"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

func describe(r *http.Request, box *sandbox.Sandbox) client.Sandbox {
	return client.Sandbox{
		Name:      box.Name(),
		BaseURL:   sandbox.BaseURL(r, box.Name()),
		CreatedAt: box.CreatedAt().UTC(),
		Now:       box.Clock().Now().UTC(),
		Frozen:    box.Clock().IsFrozen(),
		Seed:      box.Platform().Seed(),
		Policy:    box.Platform().Conduct().Policy,
		Products:  len(box.Platform().Catalog().Products),
		OwnKey:    box.OwnKey(),
	}
}

func listSandboxes(c *call) (any, error) {
	list := []client.Sandbox{}
	for _, box := range c.Sandboxes.List() {
		list = append(list, describe(c.r, box))
	}
	return keys{"sandboxes": list}, nil
}

func createSandbox(c *call) (any, error) {
	request, err := read[client.Spec](c)
	if err != nil {
		return nil, err
	}
	spec, err := c.specOf(request)
	if err != nil {
		return nil, withStatus(http.StatusBadRequest, err)
	}
	return c.describeCreated(c.Sandboxes.Create(spec))
}

// describeCreated describes a created sandbox, unless there is an error.
func (c *call) describeCreated(box *sandbox.Sandbox, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return answer{http.StatusCreated, describe(c.r, box)}, nil
}

func (a *api) specOf(r client.Spec) (spec sandbox.Spec, err error) {
	spec = sandbox.Spec{Name: r.Name, Seed: r.Seed, Frozen: r.Frozen, Policy: r.Policy, AuthKey: r.AuthKey}
	if r.Now != "" {
		if spec.Now, err = partnerapi.ParseDateTime(r.Now); err != nil {
			return spec, errors.New("now: " + err.Error())
		}
	}
	if r.HoldFor != "" {
		if spec.HoldFor, err = time.ParseDuration(r.HoldFor); err != nil || spec.HoldFor < time.Second {
			return spec, errors.New("holdFor: expected a duration of at least 1s, such as 15m")
		}
	}
	chosen, err := defects.Choose(r.Defects, r.Variants)
	if err != nil {
		return spec, err
	}
	spec.Parts = chosen.Parts
	if r.Webhooks != nil {
		if spec.Webhooks, err = a.webhooksFor("webhooks", r.Webhooks); err != nil {
			return spec, err
		}
	}
	if spec.Webhooks, err = chosen.Webhooks(spec.Webhooks); err != nil {
		return spec, err
	}
	spec.Catalog, err = catalogOf(r, chosen.Catalog)
	return spec, err
}

// catalogOf returns the index of the requested catalog, or of the variant's. It returns nil for the
// mock's own.
func catalogOf(r client.Spec, brought *catalog.Catalog) (*catalog.Index, error) {
	var (
		own *catalog.Catalog
		err error
	)
	switch generated := r.Products != 0 || r.Options != 0; {
	case generated && r.Catalog != nil:
		return nil, errors.New("use catalog, or products and options, not both")
	case generated:
		var seed uint64
		if r.Seed != nil {
			seed = *r.Seed
		}
		own, err = catalog.Generate(seed, r.Products, r.Options)
	case r.Catalog != nil:
		own, err = catalog.Parse("catalog", r.Catalog)
	case brought != nil:
		own = brought
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return own.Index()
}

func showSandbox(c *call) (any, error) { return describe(c.r, c.box), nil }

// forNamedSandbox returns a handler for the sandbox that the path names.
func forNamedSandbox(handle handler) handler {
	return func(c *call) (any, error) {
		name := c.variable("name")
		box, ok := c.Sandboxes.Sandbox(name)
		if !ok {
			return nil, noSandbox(name)
		}
		return handle(&call{c.api, c.w, c.r, box})
	}
}

type cloneRequest struct {
	Name    string `json:"name"`
	AuthKey string `json:"authKey"` // absent means the mock's
}

func cloneSandbox(c *call) (any, error) {
	request, err := read[cloneRequest](c)
	if err != nil {
		return nil, err
	}
	return c.describeCreated(c.Sandboxes.Clone(c.box, request.Name, request.AuthKey))
}

func resetSandbox(c *call) (any, error) {
	c.box.Reset()
	return showSandbox(c)
}

func deleteSandbox(c *call) (any, error) {
	name := c.variable("name")
	err := c.Sandboxes.Delete(name)
	if errors.Is(err, sandbox.ErrMissing) {
		err = noSandbox(name)
	}
	return keys{"deleted": name}, err
}

func listSnapshots(c *call) (any, error) { return keys{"snapshots": c.box.Snapshots()}, nil }

func takeSnapshot(c *call) (any, error) {
	request, err := read[struct {
		Name string `json:"name"`
	}](c)
	if err != nil {
		return nil, err
	}
	saved, err := c.box.Save(request.Name)
	return answer{http.StatusCreated, saved}, err
}

func restoreSnapshot(c *call) (any, error) {
	if err := c.box.Restore(c.variable("snapshot")); err != nil {
		return nil, err
	}
	return showSandbox(c)
}

func deleteSnapshot(c *call) (any, error) {
	name := c.variable("snapshot")
	return keys{"deleted": name}, c.box.Forget(name)
}
