package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Catalog is what a pull's body says.
type Catalog struct {
	Products []partnerapi.Product // good ones, each id once
	SetAside []SetAside           // those that are not
	present  map[string]bool      // the ids of both, as far as they can be read
}

// SetAside is a product that cannot be sold as it is.
type SetAside struct {
	ProductID string    `json:"product_id"` // "" where it has none that can be read
	Problems  []Problem `json:"problems"`
}

// Problem is one mistake of a product.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901, within the pull's body
	Message string `json:"message"`
}

// mostProblems bounds the problems that are kept of one product, and mostSetAside the
// products that are listed with theirs.
const (
	mostProblems = 10
	mostSetAside = 1000
)

var errNoCatalog = errors.New("want an array of products, or an object whose products is one")

// Read reads a pull's body. The error says why it is no catalog at all (PRD-1); a
// product that breaks its schema is set aside.
func Read(body []byte) (*Catalog, error) {
	list, at, err := elements(body)
	if err != nil {
		return nil, err
	}
	c := &Catalog{present: map[string]bool{}}
	for i, raw := range list {
		c.add(raw, fmt.Sprintf("%s/%d", at, i))
	}
	return c, nil
}

// Readable reports why a body is no catalog at all.
func Readable(body []byte) error {
	_, _, err := elements(body)
	return err
}

// elements returns the products of a body as they are written, and the pointer of
// their array.
func elements(body []byte) (list []json.RawMessage, at string, err error) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) > 0 && body[0] == '[' {
		err = json.Unmarshal(body, &list)
		return list, "", whole(err)
	}
	var object map[string]json.RawMessage // a struct would take Products for products
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, "", whole(err)
	}
	products := bytes.TrimSpace(object["products"])
	if len(products) == 0 || products[0] != '[' {
		return nil, "", errNoCatalog
	}
	err = json.Unmarshal(products, &list)
	return list, "/products", whole(err)
}

// whole says in words why a body cannot be read.
func whole(err error) error {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("want JSON: %w", err)
	}
	if err != nil {
		return errNoCatalog
	}
	return nil
}

func (c *Catalog) add(raw json.RawMessage, at string) {
	var product partnerapi.Product
	problems := schemas.Decode(schemas.Product, raw, &product)
	if len(problems) == 0 && c.present[product.ID] {
		problems = []schemas.Problem{{Pointer: "/id", Message: "want an id that no other product has"}}
	}
	if len(problems) == 0 {
		problems = repeated(product)
	}
	if len(problems) > 0 {
		c.setAside(raw, at, problems)
		return
	}
	c.present[product.ID] = true
	c.Products = append(c.Products, product)
}

// repeated finds an option whose id another one of its product has, and a unit whose
// id another one of its option has (PRD-11): one of each could never be told from the
// other.
func repeated(product partnerapi.Product) (problems []schemas.Problem) {
	options := map[string]bool{}
	for i, option := range product.Options {
		if options[option.ID] {
			problems = append(problems, schemas.Problem{Pointer: fmt.Sprintf("/options/%d/id", i), Message: "want an id that no other option of the product has"})
		}
		options[option.ID] = true
		units := map[string]bool{}
		for j, unit := range option.Units {
			if units[unit.ID] {
				problems = append(problems, schemas.Problem{Pointer: fmt.Sprintf("/options/%d/units/%d/id", i, j), Message: "want an id that no other unit of the option has"})
			}
			units[unit.ID] = true
		}
	}
	return problems
}

func (c *Catalog) setAside(raw json.RawMessage, at string, problems []schemas.Problem) {
	var named struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &named) // what has no readable id has none
	if named.ID != "" {
		c.present[named.ID] = true
	}
	if len(c.SetAside) >= mostSetAside {
		return
	}
	aside := SetAside{ProductID: named.ID}
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		aside.Problems = append(aside.Problems, Problem{Pointer: problem.Under(at).Pointer, Message: problem.Message})
	}
	c.SetAside = append(c.SetAside, aside)
}
