package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas/partnerapi"
)

// These errors are returned by changes of a catalog in use.
var (
	ErrNoProduct   = errors.New("there is no such product")
	ErrLastProduct = errors.New("a catalog has at least one product")
	ErrTooLarge    = errors.New("the catalog would be too large")
)

// maxListing is the maximum size of an index's products in GET /products, in bytes. It is more than
// the largest catalog that Generate draws.
const maxListing = 512 << 20

// Catalog returns the catalog of the index, in the form of a file.
func (x *Index) Catalog() *Catalog {
	c := &Catalog{Policy: x.Policy, Products: make([]Product, len(x.Products)), Shares: x.Shares}
	for i, product := range x.Products {
		c.Products[i] = product.Form()
	}
	return c
}

// Form returns the product in the form of a catalog file.
func (p *IndexedProduct) Form() Product {
	product := Product{Product: p.Product, Schedules: map[string]Schedule{}}
	for id, option := range p.options {
		product.Schedules[id] = option.Schedule
	}
	return product
}

// Replace returns the index of a new catalog. Unchanged products keep their updatedAt; that of all
// others becomes now (PRD-14). The policy stays. If nothing changes, it returns the index itself.
// Its error is that of Catalog.Index.
func (x *Index) Replace(c *Catalog, now time.Time) (*Index, error) {
	if problems := c.check(); len(problems) > 0 {
		return nil, c.problems(problems)
	}
	next := *c
	next.Products = slices.Clone(c.Products)
	kept := make([]*IndexedProduct, len(next.Products))
	for i := range next.Products {
		old, ok := x.byID[next.Products[i].ID]
		if ok && old.equals(next.Products[i]) {
			kept[i] = old
		} else {
			next.Products[i].UpdatedAt = partnerapi.FormatDateTime(now)
		}
	}
	if slices.Equal(kept, x.Products) && reflect.DeepEqual(next.Shares, x.Shares) {
		return x, nil
	}
	index := &Index{Policy: x.Policy, Shares: next.Shares}
	for i := range next.Products {
		product := kept[i]
		if product == nil {
			var err error
			if product, err = indexAt(&next.Products[i], now); err != nil {
				return nil, c.problems([]yamlfile.Problem{{Path: fmt.Sprintf("products[%d]", i), Message: err.Error()}})
			}
		}
		index.Products = append(index.Products, product)
	}
	return index.buildIndex()
}

// With returns the index with the product, in place of the one with its id or at the end. If the
// product changes, its updatedAt becomes now (PRD-14). If not, the index itself is returned. The
// error is a *yamlfile.Problems, or wraps ErrTooLarge.
func (x *Index) With(p Product, now time.Time) (*Index, error) {
	if problems := p.check(); len(problems) > 0 {
		return nil, &yamlfile.Problems{List: problems}
	}
	old, sold := x.byID[p.ID]
	if sold && old.equals(p) {
		return x, nil
	}
	p.UpdatedAt = partnerapi.FormatDateTime(now)
	product, err := indexAt(&p, now)
	if err != nil {
		return nil, &yamlfile.Problems{List: []yamlfile.Problem{{Message: err.Error()}}}
	}
	index := &Index{Policy: x.Policy, Shares: x.Shares, Products: slices.Clone(x.Products)}
	if sold {
		index.Products[slices.Index(x.Products, old)] = product
	} else {
		index.Products = append(index.Products, product)
	}
	return index.buildIndex()
}

// WithoutProduct returns the index without the product with that id. Its error wraps ErrNoProduct or
// ErrLastProduct.
func (x *Index) WithoutProduct(id string) (*Index, error) {
	old, ok := x.byID[id]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: %q", ErrNoProduct, id)
	case len(x.Products) == 1:
		return nil, fmt.Errorf("%w: %q is the last", ErrLastProduct, id)
	}
	at := slices.Index(x.Products, old)
	index := &Index{Policy: x.Policy, Shares: x.Shares, Products: slices.Delete(slices.Clone(x.Products), at, at+1)}
	return index.buildIndex()
}

// equals reports whether a product equals the indexed one, except for its modification time.
func (p *IndexedProduct) equals(other Product) bool {
	mine := p.Form()
	other.UpdatedAt = mine.UpdatedAt
	was, err := marshal(mine)
	if err != nil {
		return false
	}
	is, err := marshal(other)
	return err == nil && bytes.Equal(was, is)
}

// indexAt indexes a product that was changed at that time. It keeps the exact time, although
// updatedAt shows only whole seconds.
func indexAt(p *Product, now time.Time) (*IndexedProduct, error) {
	product, err := indexProduct(p)
	if err == nil {
		product.Modified = now
	}
	return product, err
}

// buildIndex completes an index that has its products. Its error wraps ErrTooLarge.
func (x *Index) buildIndex() (*Index, error) {
	x.byID = make(map[string]*IndexedProduct, len(x.Products))
	options, size := 0, 0
	for _, product := range x.Products {
		x.byID[product.ID] = product
		options += len(product.Options)
		size += len(product.JSON)
	}
	if len(x.Products) > MaxProducts || options > MaxOptions || size > maxListing {
		return nil, fmt.Errorf("%w: at most %d products, %d options and %d MiB", ErrTooLarge, MaxProducts, MaxOptions, maxListing>>20)
	}
	x.listing = join(x.Products)
	x.buildPools()
	return x, nil
}

// check lists the problems of a product by itself, with paths relative to the product.
func (p *Product) check() []yamlfile.Problem {
	const path = "product"
	var found checker
	found.product(path, p)
	for i := range found {
		found[i].Path = strings.TrimPrefix(strings.TrimPrefix(found[i].Path, path), ".")
	}
	return found
}
