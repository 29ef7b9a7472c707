package control

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/reply"
)

const maxCatalog = 8 << 20

func showCatalog(c *call) (any, error) {
	p := c.box.Platform()
	sold := p.Catalog().Catalog()
	sold.Policy = p.Conduct().Policy
	return sold, nil
}

func replaceCatalog(c *call) (any, error) {
	p := c.box.Platform()
	sold, err := parseBody(c, maxCatalog, catalog.Parse)
	if err == nil {
		err = p.Sell(sold)
	}
	return keys{"products": len(p.Catalog().Products)}, err
}

// sellProduct adds a product to the sandbox's catalog, or replaces it, and returns it as sold.
func sellProduct(c *call) (any, error) {
	id, err := reply.Segment(c.r, "id")
	if err != nil {
		return nil, err
	}
	product, err := parseBody(c, maxBody, catalog.ParseProduct)
	if err != nil {
		return nil, err
	}
	if product.ID != id {
		return nil, fmt.Errorf("id: the body names the product %q, the path %q", product.ID, id)
	}
	p := c.box.Platform()
	if err := p.SellInstead(func(sold *catalog.Index, now time.Time) (*catalog.Index, error) { return sold.With(*product, now) }); err != nil {
		return nil, err
	}
	sold, ok := p.Catalog().Product(id)
	if !ok {
		return nil, reply.Refuse(http.StatusConflict, "the product %q was removed from the catalog in the meantime", id)
	}
	return sold.Form(), nil
}

func stopSelling(c *call) (any, error) {
	id, err := reply.Segment(c.r, "id")
	if err != nil {
		return nil, err
	}
	err = c.box.Platform().SellInstead(func(sold *catalog.Index, _ time.Time) (*catalog.Index, error) { return sold.WithoutProduct(id) })
	if errors.Is(err, catalog.ErrNoProduct) {
		err = fmt.Errorf("%w: GET %s/catalog lists them", err, Path)
	}
	return keys{"deleted": id}, err
}
