package console

import (
	"net/url"
	"strconv"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// chosen is what the page's query chooses to be shown. What it does not say, or
// says wrong, is the default.
type chosen struct {
	product, option string
	from            string // a date; "" is today
	slot            string // whose details are shown
	exchange        uint64 // whose headers and bodies are shown; 0 is none
	judged          bool   // the callers are judged
}

func choiceOf(query url.Values) chosen {
	c := chosen{product: query.Get("product"), option: query.Get("option"), slot: query.Get("slot"), judged: query.Has("judged")}
	if _, err := time.Parse(partnerapi.DateLayout, query.Get("from")); err == nil {
		c.from = query.Get("from")
	}
	c.exchange, _ = strconv.ParseUint(query.Get("exchange"), 10, 64) // 0 where it is no number
	return c
}

func (c chosen) query() string {
	values := url.Values{}
	for name, value := range map[string]string{"product": c.product, "option": c.option, "from": c.from, "slot": c.slot} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if c.exchange != 0 {
		values.Set("exchange", strconv.FormatUint(c.exchange, 10))
	}
	if c.judged {
		values.Set("judged", "yes")
	}
	return values.Encode()
}

// href leads to the page with this choice.
func (c chosen) href() string { return "?" + c.query() }

func (c chosen) withSlot(id string) chosen {
	c.slot = id
	return c
}

func (c chosen) withExchange(number uint64) chosen {
	c.exchange = number
	return c
}

func (c chosen) withFrom(date time.Time) chosen {
	c.from, c.slot = date.Format(partnerapi.DateLayout), ""
	return c
}
