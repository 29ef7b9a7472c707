package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/webui"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/registry"
	"partnerkit.dev/marketplace/internal/storefront"
)

type registryStore interface {
	SetInRegistry(ctx context.Context, integration uuid.UUID, in bool) error
	RegistryPage(ctx context.Context, q registry.Query) (entries []registry.Entry, more bool, err error)
	RegistryEntry(ctx context.Context, integration uuid.UUID) (registry.Entry, error)
	Revocations(ctx context.Context) ([]conformance.Revocation, error)
}

// registryHandler serves the public registry of certified partners, and partners' requests to join and
// leave it.
type registryHandler struct {
	store        registryStore
	signer       *conformance.Signer
	integrations integrationHandler
	now          func() time.Time
	secure       bool // browsers use HTTPS
}

// set puts an integration into the registry, or takes it out.
func (h registryHandler) set(in bool) read {
	return h.integrations.withIntegration(func(r *http.Request, i domain.Integration) (any, error) {
		if in && i.Mode != domain.Live {
			return nil, domain.Errorf(domain.Conflict, "the registry shows no integration in test mode; register the platform in live mode")
		}
		if err := h.store.SetInRegistry(r.Context(), i.ID, in); err != nil {
			return nil, err
		}
		i.InRegistry = in
		return h.integrations.show(r, i)
	})
}

// registryPath is the path of the registry's page, and the list that its cursors belong to.
const registryPath = "/registry"

// registryList is the path of the registry as JSON.
const registryList = registryPath + ".json"

// longestPartner is the maximum number of letters of an integration's name.
const longestPartner = 200

// find reads the page of the registry that the query asks for.
func (h registryHandler) find(r *http.Request, asked registry.Query, q *query) (entries []registry.Entry, next string, after bool, err error) {
	if text, given := q.one("cursor"); given {
		place, ok := domain.DecodeCursor(registryPath, text)
		if after = true; ok && len(place) == len(asked.After) {
			asked.After = uuid.UUID(place)
		} else {
			q.refuse("cursor", "expected the next_cursor of this list, unchanged")
		}
	}
	if err := q.check(); err != nil {
		return nil, "", after, err
	}
	entries, more, err := h.store.RegistryPage(r.Context(), asked)
	if more {
		last := entries[len(entries)-1].Integration
		next = domain.EncodeCursor(registryPath, last[:])
	}
	return entries, next, after, err
}

// list answers with a page of the registry as JSON.
func (h registryHandler) list(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	asked := registry.Query{Name: q.text("name", longestPartner), Size: q.number("limit", usualOnPage, mostOnPage)}
	found, next, _, err := h.find(r, asked, q)
	if err != nil {
		return err
	}
	pagination := storefront.Pagination{PageSize: asked.Size}
	if next != "" {
		pagination.NextCursor = &next
	}
	text, err := marshal(storefront.Success{Success: 1, Pagination: &pagination, Data: viewList(found, func(e registry.Entry) client.RegistryEntry {
		return client.RegistryEntry{
			IntegrationID: e.Integration.String(), Name: e.Name, BaseURL: e.BaseURL, ContractVersion: e.ContractVersion, CertifiedSince: e.IssuedAt, ValidUntil: e.ValidUntil,
			Badge: linkTo(r, h.secure, registry.BadgePath(e.Integration.String())), Certificate: e.Certificate,
		}
	})})
	if err == nil {
		sendPublic(w, r, "application/json", text)
	}
	return err
}

// page answers with a page of the registry for people.
func (h registryHandler) page(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	asked := registry.Query{Words: q.text("q", longestPartner), Size: usualOnPage}
	found, next, after, err := h.find(r, asked, q)
	if err != nil {
		return err
	}
	text, err := registry.Page{Address: linkTo(r, h.secure, ""), Words: asked.Words, Entries: found, Later: after, Next: next}.HTML()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", registry.Policy())
	sendPublic(w, r, htmlType, text)
	return nil
}

// badge answers with an integration's badge.
func (h registryHandler) badge(w http.ResponseWriter, r *http.Request) error {
	e, err := h.entry(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	sendPublic(w, r, "image/svg+xml", e.Badge())
	return nil
}

// certificate answers with an integration's certificate.
func (h registryHandler) certificate(w http.ResponseWriter, r *http.Request) error {
	e, err := h.entry(r)
	if err == nil && e.Certificate == "" {
		err = domain.Errorf(domain.NotFound, "certificate not found")
	}
	if err != nil {
		return err
	}
	sendPublic(w, r, "application/jose", []byte(e.Certificate))
	return nil
}

func (h registryHandler) entry(r *http.Request) (registry.Entry, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return registry.Entry{}, err
	}
	return h.store.RegistryEntry(r.Context(), id)
}

// revocations answers with the signed list of revocations.
func (h registryHandler) revocations(w http.ResponseWriter, r *http.Request) error {
	list, err := h.store.Revocations(r.Context())
	if err != nil {
		return err
	}
	text, err := h.signer.SignRevocations(list, h.now())
	if err == nil {
		sendPublic(w, r, "application/jose", []byte(text))
	}
	return err
}

// sendPublic answers with what everyone may read and caches may keep for a minute.
func sendPublic(w http.ResponseWriter, r *http.Request, kind string, text []byte) {
	w.Header().Set("Cache-Control", "public, max-age=60")
	webui.Send(w, r, http.StatusOK, kind, text)
}
