package storefront

import (
	"errors"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// AffiliateURL is the template of affiliates' links. {activity} stands for the activity's id and
// {affiliate} for the affiliate's code, which is its account's id. "" means no links.
type AffiliateURL string

// The placeholders of an AffiliateURL.
const (
	activityPlace  = "{activity}"
	affiliatePlace = "{affiliate}"
)

// Check returns what is wrong with the template.
func (a AffiliateURL) Check() error {
	if a == "" {
		return nil
	}
	if !strings.Contains(string(a), activityPlace) || !strings.Contains(string(a), affiliatePlace) {
		return errors.New("expected {activity} and {affiliate} in it, such as https://shop.example/activities/{activity}?affiliate_code={affiliate}")
	}
	link, err := url.Parse(a.link(uuid.Nil, uuid.Nil))
	if err != nil || link.Scheme != "https" && link.Scheme != "http" || link.Hostname() == "" {
		return errors.New("expected an address such as https://shop.example/activities/{activity}?affiliate_code={affiliate}")
	}
	return nil
}

func (a AffiliateURL) link(activity, affiliate uuid.UUID) string {
	return strings.NewReplacer(activityPlace, activity.String(), affiliatePlace, affiliate.String()).Replace(string(a))
}

// linked is an activity with an affiliate's link.
type linked struct {
	activity
	AffiliateURL *string `json:"affiliate_url"` // null if no shop is configured
}

// withLink adds the affiliate's link. The zero affiliate has no link.
func (f *Front) withLink(a activity, affiliate uuid.UUID) any {
	if affiliate == uuid.Nil {
		return a
	}
	shown := linked{activity: a}
	if f.affiliateURL != "" {
		shown.AffiliateURL = new(f.affiliateURL.link(a.ID, affiliate))
	}
	return shown
}
