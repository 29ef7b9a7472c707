package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

func describe(r *http.Request, box *sandbox.Sandbox) client.Sandbox {
	return client.Sandbox{
		Name:      box.Name(),
		BaseURL:   baseURL(r, box.Name()),
		CreatedAt: box.Created().UTC(),
		Now:       box.Clock().Now().UTC(),
		Frozen:    box.Clock().Frozen(),
		Seed:      box.Platform().Seed(),
		Policy:    box.Platform().Conduct().Policy,
		Products:  len(box.Platform().Catalog().Products),
		OwnKey:    box.OwnKey(),
	}
}

func (a *api) listSandboxes(w http.ResponseWriter, r *http.Request) {
	list := []client.Sandbox{}
	for _, box := range a.Sandboxes.List() {
		list = append(list, describe(r, box))
	}
	reply.JSON(w, http.StatusOK, map[string]any{"sandboxes": list})
}

func (a *api) createSandbox(w http.ResponseWriter, r *http.Request) {
	var request client.Spec
	if !read(w, r, &request) {
		return
	}
	spec, err := a.specOf(request)
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", err)
		return
	}
	box, err := a.Sandboxes.Create(spec)
	created(w, r, box, err)
}

func created(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox, err error) {
	switch {
	case errors.Is(err, sandbox.ErrTaken), errors.Is(err, sandbox.ErrKey), errors.Is(err, sandbox.ErrFull):
		reply.Message(w, http.StatusConflict, "%v", err)
	case err != nil:
		reply.Message(w, http.StatusBadRequest, "%v", err)
	default:
		reply.JSON(w, http.StatusCreated, describe(r, box))
	}
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
			return spec, errors.New("holdFor: want a duration of at least 1s, such as 15m")
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
	spec.Catalog, err = catalogOf(r, chosen.Catalog)
	return spec, err
}

// catalogOf returns the index of the catalog that is asked for, or that a variant
// brings, nil for the mock's own.
func catalogOf(r client.Spec, brought *catalog.Catalog) (*catalog.Index, error) {
	var (
		own *catalog.Catalog
		err error
	)
	switch generated := r.Products != 0 || r.Options != 0; {
	case generated && r.Catalog != nil:
		return nil, errors.New("want catalog, or products and options, not both")
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

func showSandbox(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	reply.JSON(w, http.StatusOK, describe(r, box))
}

// named has a request handled for the sandbox that the path names.
func (a *api) named(handle func(http.ResponseWriter, *http.Request, *sandbox.Sandbox)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := mux.Vars(r)["name"]
		box, ok := a.Sandboxes.Sandbox(name)
		if !ok {
			NoSandbox(w, name)
			return
		}
		handle(w, r, box)
	}
}

type cloneRequest struct {
	Name    string `json:"name"`
	AuthKey string `json:"authKey"` // absent: the mock's
}

func (a *api) cloneSandbox(w http.ResponseWriter, r *http.Request, original *sandbox.Sandbox) {
	var request cloneRequest
	if !read(w, r, &request) {
		return
	}
	box, err := a.Sandboxes.Clone(original, request.Name, request.AuthKey)
	created(w, r, box, err)
}

func resetSandbox(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	box.Reset()
	showSandbox(w, r, box)
}

func (a *api) deleteSandbox(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	err := a.Sandboxes.Delete(name)
	switch {
	case errors.Is(err, sandbox.ErrMissing):
		NoSandbox(w, name)
	case err != nil:
		reply.Message(w, http.StatusConflict, "%v", err)
	default:
		reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
	}
}

func listSnapshots(w http.ResponseWriter, _ *http.Request, box *sandbox.Sandbox) {
	reply.JSON(w, http.StatusOK, map[string]any{"snapshots": box.Snapshots()})
}

func takeSnapshot(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	var request struct {
		Name string `json:"name"`
	}
	if !read(w, r, &request) {
		return
	}
	saved, err := box.Save(request.Name)
	if refused(w, err) {
		return
	}
	reply.JSON(w, http.StatusCreated, saved)
}

func restoreSnapshot(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	if !refused(w, box.Restore(mux.Vars(r)["snapshot"])) {
		showSandbox(w, r, box)
	}
}

func deleteSnapshot(w http.ResponseWriter, r *http.Request, box *sandbox.Sandbox) {
	name := mux.Vars(r)["snapshot"]
	if refused(w, box.Forget(name)) {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"deleted": name})
}
