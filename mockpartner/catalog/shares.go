package catalog

import (
	"fmt"
	"slices"
)

// SharedSeats are seats that several slots draw on: one boat for two options, one guide for two
// products, a quota for the day, or a fleet. A slot has as many vacancies as its own seats and the
// shared ones allow.
type SharedSeats struct {
	Name string `yaml:"name" json:"name"`
	// Options are those that draw on the seats, as "product/option". The id of a product stands for
	// all of its options.
	Options []string `yaml:"options" json:"options"`
	Over    Span     `yaml:"over" json:"over"`
	Seats   int      `yaml:"seats" json:"seats"`
	// By is the number of seats that leave together, such as those of one vehicle. A slot with guests
	// takes a multiple of it away from the other slots. Absent means 1.
	By int `yaml:"by" json:"by,omitempty"`
}

// Span says which slots draw on the same seats.
type Span string

const (
	// OverTime: slots that take place at the same time. Slots after one another use the seats again.
	OverTime Span = "time"
	// OverDay: the slots of one date.
	OverDay Span = "day"
	// OverSeason: all slots.
	OverSeason Span = "season"
)

func (s SharedSeats) names(name, productID, optionID string) bool {
	return name == productID || name == productID+"/"+optionID
}

// Pool is SharedSeats with the options that draw on them.
type Pool struct {
	SharedSeats
	Members []*IndexedOption
}

// RoundUp returns how many seats a slot takes away from the others if it uses that many itself.
func (p *Pool) RoundUp(seats int) int {
	by := max(p.By, 1)
	if seats <= 0 || seats%by == 0 {
		return seats
	}
	return seats + by - seats%by
}

// PoolsOf returns the pools that the option with those ids draws on.
func (x *Index) PoolsOf(productID, optionID string) []*Pool {
	return x.poolsOf[[2]string{productID, optionID}]
}

// buildPools finds the options of the shared seats. It drops names that the catalog no longer has, and
// options without a limit: both can result from the replacement of a product.
func (x *Index) buildPools() {
	declared := x.Shares
	x.Shares, x.Pools, x.poolsOf = nil, nil, map[[2]string][]*Pool{}
	for _, shared := range declared {
		pool := &Pool{SharedSeats: shared}
		pool.Options = nil
		for _, name := range shared.Options {
			if members := x.named(shared, name); len(members) > 0 {
				pool.Options = append(pool.Options, name)
				pool.Members = append(pool.Members, members...)
			}
		}
		if len(pool.Members) == 0 {
			continue
		}
		x.Shares, x.Pools = append(x.Shares, pool.SharedSeats), append(x.Pools, pool)
		for _, option := range pool.Members {
			ids := [2]string{option.Product.ID, option.ID}
			x.poolsOf[ids] = append(x.poolsOf[ids], pool)
		}
	}
}

// named returns the options that a name in the shared seats stands for.
func (x *Index) named(shared SharedSeats, name string) (options []*IndexedOption) {
	for _, product := range x.Products {
		for _, wire := range product.Options {
			if option := product.options[wire.ID]; shared.names(name, product.ID, wire.ID) && option.HasCount() {
				options = append(options, option)
			}
		}
	}
	return options
}

// sharedSeats checks the catalog's shares.
func (c *checker) sharedSeats(sold *Catalog) {
	if sold.Generate != nil && len(sold.Shares) > 0 {
		c.add("shares", "use shares with products, not with generate")
		return
	}
	names := map[string]int{}
	for i, s := range sold.Shares {
		path := fmt.Sprintf("shares[%d]", i)
		if first, taken := names[s.Name]; taken {
			c.add(path+".name", "%q is already the name of shares[%d]", s.Name, first)
		}
		names[s.Name] = i
		if s.Name == "" {
			c.add(path+".name", "expected a name")
		}
		if !slices.Contains([]Span{OverTime, OverDay, OverSeason}, s.Over) {
			c.add(path+".over", "expected time, day or season, received %q", s.Over)
		}
		if s.Seats < 1 || s.Seats > maxSeats {
			c.add(path+".seats", "expected a number of seats from 1 to %d, received %d", maxSeats, s.Seats)
		}
		if s.By < 0 || s.By > 1 && s.Seats%s.By != 0 {
			c.add(path+".by", "expected a number of which seats is a multiple, received %d for %d seats", s.By, s.Seats)
		}
		c.members(path+".options", s, sold.Products)
	}
}

// members checks that the options that share seats exist, count their seats, and are listed once.
func (c *checker) members(path string, s SharedSeats, products []Product) {
	if len(s.Options) == 0 {
		c.add(path, "expected at least one product/option")
	}
	seen := map[[2]string]bool{}
	for i, name := range s.Options {
		at, found := fmt.Sprintf("%s[%d]", path, i), false
		for _, p := range products {
			for _, option := range p.Options {
				if !s.names(name, p.ID, option.ID) {
					continue
				}
				ids := [2]string{p.ID, option.ID}
				switch {
				case seen[ids]:
					c.add(at, "%q already shares these seats", p.ID+"/"+option.ID)
				case p.AllowFreesale || p.Schedules[option.ID].Freesale:
					c.add(at, "%q has no limit, so it cannot share seats", p.ID+"/"+option.ID)
				}
				found, seen[ids] = true, true
			}
		}
		if !found {
			c.add(at, "expected product/option or the id of a product, received %q", name)
		}
	}
}
