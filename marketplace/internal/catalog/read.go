package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Catalog is the content of a pull's body.
type Catalog struct {
	Products []Product       // valid products, each id once
	SetAside []SetAside      // invalid products; the last entry says if the list was cut
	present  map[string]bool // the ids of both, if readable
	places   map[string]int  // of products, by id, while they are read
	shared   map[string]bool // ids of different products
	aside    setAsideList
}

// Product is a valid product, as stored.
type Product struct {
	ID      string
	Name    string
	Text    json.RawMessage // without its options
	Hash    Hash            // of Text
	Options []Option
}

// equal reports whether both are the same product.
func (p Product) equal(other Product) bool {
	return p.Hash == other.Hash && slices.EqualFunc(p.Options, other.Options, func(a, b Option) bool { return a.ID == b.ID && a.Hash == b.Hash })
}

// Option is an option of a product, as stored.
type Option struct {
	ID   string
	Name string
	Text json.RawMessage
	Hash Hash // of Text, whatever the order of its units
}

// mostProducts limits a catalog.
const mostProducts = 100_000

var (
	errNoCatalog = errors.New("expected an array of products, or an object whose products is one")
	errTooMany   = fmt.Errorf("expected at most %d products", mostProducts)
)

// together is how many products are judged before their results are written, so that the problems
// of a large catalog are never all in memory.
const together = 512

// Read parses a pull's body. The error says why it is not a catalog (PRD-1), or that ctx has ended.
// Products that violate their schema are set aside, and so are different products with one
// id (PRD-11): which of them the partner would book is unknown. Of duplicate members the last one counts.
func Read(ctx context.Context, body []byte) (*Catalog, error) {
	list, at, err := elements(body)
	if err != nil {
		return nil, err
	}
	c := &Catalog{present: make(map[string]bool, len(list)), places: make(map[string]int, len(list)), shared: map[string]bool{}}
	for first := 0; first < len(list); first += together {
		batch := list[first:min(first+together, len(list))]
		judged := judgeAll(ctx, batch)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for i, judged := range judged {
			c.add(judged, batch[i], fmt.Sprintf("%s/%d", at, first+i))
		}
	}
	for id := range c.shared {
		delete(c.present, id)
	}
	c.Products = slices.DeleteFunc(c.Products, func(p Product) bool { return c.shared[p.ID] })
	c.places, c.SetAside = nil, c.aside.entries()
	return c, nil
}

// elements returns the raw products of a body and the pointer of their array.
func elements(body []byte) (list [][]byte, at string, err error) {
	if err := checkJSON(body); err != nil {
		return nil, "", err
	}
	array := bytes.TrimSpace(body)
	if array[0] == '{' {
		array, at = member(array, "products"), "/products"
	}
	if len(array) == 0 || array[0] != '[' {
		return nil, "", errNoCatalog
	}
	for element := range parts(array) {
		if len(list) == mostProducts {
			return nil, "", errTooMany
		}
		list = append(list, element)
	}
	return list, at, nil
}

// judged is a product or its problems.
type judged struct {
	product  Product
	problems []schemas.Problem
}

// judgeAll judges products on all processors until ctx ends.
func judgeAll(ctx context.Context, list [][]byte) []judged {
	done := make([]judged, len(list))
	workers := min(runtime.GOMAXPROCS(0), len(list))
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := worker; i < len(list) && ctx.Err() == nil; i += workers {
				done[i].product, done[i].problems = judge(list[i])
			}
		})
	}
	all.Wait()
	return done
}

// judge converts a raw product for storage, or returns its problems. No input of a partner may stop
// the service.
func judge(raw []byte) (_ Product, problems []schemas.Problem) {
	defer func() {
		if panicked := recover(); panicked != nil {
			problems = []schemas.Problem{{Message: fmt.Sprintf("it cannot be validated: %v", panicked)}}
		}
	}()
	var read partnerapi.Product
	if problems := schemas.Decode(schemas.Product, raw, &read); problems != nil {
		return Product{}, problems
	}
	if problems := findRepeatedIDs(&read); len(problems) > 0 {
		return Product{}, problems
	}
	product, err := toStored(read)
	if err != nil {
		return Product{}, []schemas.Problem{{Message: err.Error()}}
	}
	return product, nil
}

// findRepeatedIDs finds options with the same id in one product, and units with the same id in one option
// (PRD-11). They could not be distinguished.
func findRepeatedIDs(product *partnerapi.Product) (problems []schemas.Problem) {
	options := map[string]bool{}
	for i, option := range product.Options {
		if options[option.ID] {
			problems = append(problems, schemas.Problem{Pointer: fmt.Sprintf("/options/%d/id", i), Message: "expected an id that no other option of the product has"})
		}
		options[option.ID] = true
		units := map[string]bool{}
		for j, unit := range option.Units {
			if units[unit.ID] {
				problems = append(problems, schemas.Problem{Pointer: fmt.Sprintf("/options/%d/units/%d/id", i, j), Message: "expected an id that no other unit of the option has"})
			}
			units[unit.ID] = true
		}
	}
	return problems
}

// toStored converts a product for storage. It leaves out updatedAt, which is not judged
// or read, and which a partner may change at every pull.
func toStored(read partnerapi.Product) (Product, error) {
	product := Product{ID: read.ID, Name: read.InternalName}
	options := read.Options
	read.Options, read.UpdatedAt = nil, ""
	var err error
	if product.Text, err = json.Marshal(read); err != nil {
		return product, err
	}
	product.Hash = sha256.Sum256(product.Text)
	for _, option := range options {
		option.Restrictions = option.Restrictions.Usable()
		text, err := json.Marshal(option)
		if err != nil {
			return product, err
		}
		ordered := text
		if !slices.IsSortedFunc(option.Units, byID) {
			option.Units = slices.SortedFunc(slices.Values(option.Units), byID)
			if ordered, err = json.Marshal(option); err != nil {
				return product, err
			}
		}
		product.Options = append(product.Options, Option{option.ID, option.InternalName, text, sha256.Sum256(ordered)})
	}
	return product, nil
}

func byID(a, b partnerapi.Unit) int { return strings.Compare(a.ID, b.ID) }

func (c *Catalog) add(j judged, raw []byte, at string) {
	if len(j.problems) == 0 && c.present[j.product.ID] {
		if first, valid := c.places[j.product.ID]; valid && !c.Products[first].equal(j.product) {
			c.shared[j.product.ID] = true
		}
		j.problems = []schemas.Problem{{Pointer: "/id", Message: "expected an id that no other product has"}}
	}
	if len(j.problems) == 0 {
		c.present[j.product.ID], c.places[j.product.ID] = true, len(c.Products)
		c.Products = append(c.Products, j.product)
		return
	}
	var id string // an unreadable id stays empty
	if json.Unmarshal(member(raw, "id"), &id) == nil && id != "" {
		c.present[id] = true
	}
	c.aside.add(id, at, j.problems)
}
