package control

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/reply"
)

const maxCatalog = 8 << 20

func showCatalog(w http.ResponseWriter, r *http.Request) {
	p := sandboxOf(r).Platform()
	sold := p.Catalog().Catalog()
	sold.Policy = p.Conduct().Policy
	reply.JSON(w, http.StatusOK, sold)
}

func replaceCatalog(w http.ResponseWriter, r *http.Request) {
	text, ok := reply.Whole(w, r, maxCatalog)
	if !ok {
		return
	}
	p := sandboxOf(r).Platform()
	sold, err := catalog.Parse("body", text)
	if err == nil {
		err = p.Sell(sold)
	}
	if refused(w, err) {
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"products": len(p.Catalog().Products)})
}

// sellProduct adds a product to what the sandbox sells, or replaces it, and shows
// it as it is sold.
func sellProduct(w http.ResponseWriter, r *http.Request) {
	id, ok := productID(w, r)
	if !ok {
		return
	}
	text, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return
	}
	product, err := catalog.ParseProduct("body", text)
	if refused(w, err) {
		return
	}
	if product.ID != id {
		reply.Message(w, http.StatusBadRequest, "id: the body names the product %q, the path %q", product.ID, id)
		return
	}
	p := sandboxOf(r).Platform()
	if refused(w, p.SellInstead(func(sold *catalog.Index, now time.Time) (*catalog.Index, error) { return sold.With(*product, now) })) {
		return
	}
	sold, ok := p.Catalog().Product(id)
	if !ok {
		reply.Message(w, http.StatusConflict, "the product %q was taken out of the catalog this very moment", id)
		return
	}
	reply.JSON(w, http.StatusOK, sold.Form())
}

func stopSelling(w http.ResponseWriter, r *http.Request) {
	id, ok := productID(w, r)
	if !ok {
		return
	}
	err := sandboxOf(r).Platform().SellInstead(func(sold *catalog.Index, _ time.Time) (*catalog.Index, error) { return sold.Without(id) })
	switch {
	case errors.Is(err, catalog.ErrNoProduct):
		reply.Message(w, http.StatusNotFound, "%v: GET %s/catalog lists them", err, Path)
	case err != nil:
		reply.Message(w, http.StatusConflict, "%v", err)
	default:
		reply.JSON(w, http.StatusOK, map[string]any{"deleted": id})
	}
}

// productID returns the product that the path names, or answers why it cannot.
func productID(w http.ResponseWriter, r *http.Request) (string, bool) {
	id, err := url.PathUnescape(mux.Vars(r)["id"])
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "id: the path segment is not well escaped: %v", err)
	}
	return id, err == nil
}
