package client

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/schemas/openapi"
)

// bodies contains the request body of an operation, and the type that its answer's data are read into.
type bodies struct{ sent, read reflect.Type }

// description is the API's description. It is read once, because that takes a while.
var description = sync.OnceValues(func() (*openapi.Document, error) { return openapi.Read(openapi.Marketplace) })

// nothing means that no body is sent, or that nothing is read.
var nothing reflect.Type

// operations lists the operations that the client calls, by id.
func operations() map[string]bodies {
	booking := reflect.TypeFor[Booking]()
	cancel := reflect.TypeFor[cancelRequest]()
	refresh := reflect.TypeFor[refreshRequest]()
	return map[string]bodies{
		"login":               {reflect.TypeFor[signInRequest](), reflect.TypeFor[tokens]()},
		"refresh":             {refresh, reflect.TypeFor[tokens]()},
		"logout":              {refresh, nothing},
		"activities":          {nothing, reflect.TypeFor[[]Activity]()},
		"activity":            {nothing, reflect.TypeFor[Activity]()},
		"activityCalendar":    {nothing, reflect.TypeFor[[]VariationCalendar]()},
		"calendar":            {nothing, reflect.TypeFor[[]Day]()},
		"slots":               {nothing, reflect.TypeFor[[]Slot]()},
		"bookings":            {nothing, reflect.TypeFor[[]Booking]()},
		"book":                {reflect.TypeFor[Order](), booking},
		"booking":             {nothing, booking},
		"abandon":             {nothing, booking},
		"pay":                 {reflect.TypeFor[paymentRequest](), booking},
		"reschedule":          {reflect.TypeFor[Reschedule](), booking},
		"cancel":              {cancel, booking},
		"affiliateActivities": {nothing, reflect.TypeFor[[]AffiliateActivity]()},
		"commissions":         {nothing, reflect.TypeFor[[]Commission]()},
		"allBookings":         {nothing, reflect.TypeFor[[]Booking]()},
		"anyBooking":          {nothing, booking},
		"retryConfirm":        {nothing, booking},
		"settleBooking":       {cancel, booking},
		"redeliver":           {nothing, booking},
		"resolveBooking":      {nothing, booking},
		"eraseGuest":          {nothing, booking},
		"overview":            {nothing, reflect.TypeFor[Overview]()},
		"createAccount":       {reflect.TypeFor[NewAccount](), reflect.TypeFor[Account]()},
		"accounts":            {nothing, reflect.TypeFor[[]Account]()},
		"account":             {nothing, reflect.TypeFor[AccountDetail]()},
		"changeAccount":       {reflect.TypeFor[AccountChange](), reflect.TypeFor[AccountDetail]()},
		"createAPIToken":      {reflect.TypeFor[tokenRequest](), reflect.TypeFor[MadeToken]()},
		"revokeAPIToken":      {nothing, nothing},
		"operatorActivities":  {nothing, reflect.TypeFor[[]OperatorActivity]()},
		"operatorActivity":    {nothing, reflect.TypeFor[OperatorActivity]()},
		"previewPrices":       {nothing, reflect.TypeFor[PricePreview]()},
		"changeActivity":      {reflect.TypeFor[Patch](), reflect.TypeFor[OperatorActivity]()},
		"rates":               {nothing, reflect.TypeFor[Rates]()},
		"webhooks":            {nothing, reflect.TypeFor[[]EventWebhook]()},
		"createWebhook":       {reflect.TypeFor[EventWebhookRequest](), reflect.TypeFor[EventWebhook]()},
		"changeWebhook":       {reflect.TypeFor[EventWebhookChange](), reflect.TypeFor[EventWebhook]()},
		"rotateSigningSecret": {nothing, reflect.TypeFor[EventWebhook]()},
		"deleteWebhook":       {nothing, nothing},
		"changeRates":         {reflect.TypeFor[ratesRequest](), reflect.TypeFor[Rates]()},
		"importRates":         {reflect.TypeFor[ratesImport](), reflect.TypeFor[Rates]()},
		"pricing":             {nothing, reflect.TypeFor[Fees]()},
		"changePricing":       {reflect.TypeFor[Fees](), reflect.TypeFor[Fees]()},
		"syncIntegration":     {reflect.TypeFor[syncRequest](), reflect.TypeFor[Sync]()},
		"approveSync":         {nothing, reflect.TypeFor[Sync]()},
		"registerIntegration": {reflect.TypeFor[Registration](), reflect.TypeFor[Registered]()},
		"integrations":        {nothing, reflect.TypeFor[[]Integration]()},
		"integration":         {nothing, reflect.TypeFor[Integration]()},
		"changeIntegration":   {reflect.TypeFor[Patch](), reflect.TypeFor[Integration]()},
		"testIntegration":     {reflect.TypeFor[Patch](), reflect.TypeFor[Trial]()},
		"rotateWebhookSecret": {nothing, reflect.TypeFor[Registered]()},
		"integrationSyncs":    {nothing, reflect.TypeFor[[]Sync]()},
		"deleteIntegration":   {nothing, nothing},
		"triggerSync":         {nothing, reflect.TypeFor[Pull]()},
		"partnerEvents":       {nothing, reflect.TypeFor[IntegrationEvents]()},
		"integrationCalls":    {nothing, reflect.TypeFor[[]Call]()},
		"webhookDeliveries":   {nothing, reflect.TypeFor[[]ReceivedWebhook]()},
		"integrationBookings": {nothing, reflect.TypeFor[[]PartnerBooking]()},
		"conformanceRun":      {nothing, reflect.TypeFor[Run]()},
		"conformanceMatrix":   {nothing, reflect.TypeFor[Matrix]()},
		"invitations":         {nothing, reflect.TypeFor[[]Invitation]()},
		"invitePartner":       {nothing, reflect.TypeFor[MadeInvitation]()},
		"deliveries":          {nothing, reflect.TypeFor[[]EventDelivery]()},

		"shareConformanceReport": {nothing, reflect.TypeFor[RunLink]()},
		"conformanceShares":      {nothing, reflect.TypeFor[[]Share]()},
		"certifiedPartners":      {nothing, reflect.TypeFor[[]RegistryEntry]()},
		"joinRegistry":           {nothing, reflect.TypeFor[Integration]()},
		"leaveRegistry":          {nothing, reflect.TypeFor[Integration]()},

		"notifySlot": {reflect.TypeFor[Notification](), reflect.TypeFor[notified]()},
	}
}

func TestTheTypesHaveEveryFieldOfTheAPI(t *testing.T) {
	t.Parallel()
	document, err := description()
	errtest.Check(t, err)
	c := comparison{t: t, constants: constantsOf(t, ".", sourcetest.Path("schemas/partnerapi"))}
	known := operations()
	for _, op := range document.Operations() {
		if !covers(op) {
			continue
		}
		b, found := known[op.ID]
		delete(known, op.ID)
		if !found {
			t.Errorf("%s: the client has no such call", op.ID)
			continue
		}
		if b.sent != nothing {
			c.sent = true
			c.compare(op.ID+" <-", b.sent, op.Body.Schema)
		}
		if properties, _ := op.Answer["properties"].(map[string]any); b.read != nothing {
			c.sent = false
			c.compare(op.ID+" ->", b.read, properties["data"])
			if page := properties["pagination"]; page != nil {
				c.compare(op.ID+" -> pagination", reflect.TypeFor[Pagination](), page)
			}
		}
	}
	for id := range known {
		t.Errorf("%s: the API has no such operation", id)
	}
}

// covers reports whether the client has the types of an operation. It leaves out the feed of events,
// which receivers in any language read with a library of Standard Webhooks; files and streams; what
// answers as another operation does; and orders whose answer says no more than that they were taken.
func covers(op *openapi.Operation) bool {
	return (strings.HasPrefix(op.Path, "/api/") || op.ID == "certifiedPartners") && !slices.Contains([]string{
		"events", "conformanceRunProgress", "conformanceRunReport", "conformanceRunReportHTML", "conformanceRunJUnit", "conformanceMatrixCSV", "conformanceCertificate",
		"syncs", "webhooksOf", "deliveriesOf", "retryDelivery", "listConformanceRuns", "setCertificationPolicy", "decideGoLive", "requestGoLive",
		"startConformanceRun", "revokeInvitation", "revokeConformanceShare",
	}, op.ID)
}

// onlyTypes are the operations of which the client has the types, for the marketplace's pages, but no call.
var onlyTypes = []string{
	"partnerEvents", "integrationCalls", "webhookDeliveries", "integrationBookings", "conformanceRun", "conformanceMatrix", "invitations", "invitePartner", "deliveries", "shareConformanceReport", "conformanceShares", "certifiedPartners",
}

// comparison compares types with schemas.
type comparison struct {
	t         *testing.T
	constants map[string][]string // by type
	sent      bool                // otherwise it is read
}

// inexact lists the numbers that are not used for money.
var inexact = []string{"lat", "lng", "hours", "days"}

func (c comparison) compare(at string, is reflect.Type, schema any) {
	says, nullable := withoutNull(schema)
	if is.Kind() == reflect.Pointer {
		is, nullable = is.Elem(), false // nil means null
	}
	if is == reflect.TypeFor[json.RawMessage]() {
		return // any JSON
	}
	name := at[strings.LastIndexAny(at, "/ ")+1:]
	kind, _ := says["type"].(string)
	wrong := func() {
		c.t.Helper()
		c.t.Errorf("%s: want what fits %v, got %s", at, says, is)
	}
	switch {
	case is == reflect.TypeFor[Patch]():
	case is == reflect.TypeFor[time.Time]():
		if says["format"] != "date-time" {
			wrong()
		}
	case is == reflect.TypeFor[Date]():
		if says["format"] != "date" {
			wrong()
		}
	case is == reflect.TypeFor[Decimal]():
		if kind != "number" && says["maximum"] == nil && says["maxLength"] == nil && !strings.Contains(at, "rates/") && !strings.HasSuffix(at, "rate") {
			wrong()
		}
	case is.Kind() == reflect.Struct:
		c.compareFields(at, is, says)
	case is.Kind() == reflect.Slice:
		if kind != "array" {
			wrong()
			return
		}
		c.compare(at+"[]", is.Elem(), says["items"])
	case is.Kind() == reflect.Map:
		if kind != "object" {
			wrong()
			return
		}
		for _, below := range []any{says["additionalProperties"], anyOne(says["patternProperties"])} {
			if below != nil && is.Elem().Kind() != reflect.Interface {
				c.compare(at+"/*", is.Elem(), below)
			}
		}
	case is.Kind() == reflect.String:
		if kind != "string" || says["format"] == "date-time" {
			wrong()
		}
		c.compareWords(at, is, says)
	case is.Kind() == reflect.Bool:
		if kind != "boolean" || nullable && !c.sent {
			wrong()
		}
	case is.Kind() == reflect.Float64:
		if kind != "number" || !slices.Contains(inexact, name) {
			wrong()
		}
	case is.Kind() == reflect.Int, is.Kind() == reflect.Int64:
		// No HTTP status is 0, and counts have no fractions.
		counts := kind == "integer" || kind == "number" && slices.Contains([]string{"sort", "capacity", "max_no_booking"}, name)
		if !counts || nullable && !c.sent && name != "status" {
			wrong()
		}
	case is.Kind() == reflect.Interface:
	default:
		wrong()
	}
}

// compareFields expects that a struct has the fields of an object, and no others.
func (c comparison) compareFields(at string, is reflect.Type, says map[string]any) {
	properties, _ := says["properties"].(map[string]any)
	required, _ := says["required"].([]any)
	fields := fieldsOf(is)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, found := fields[name]
		if !found {
			// A field that is read may have several names.
			if properties["original"] == nil || !slices.Contains([]string{"type", "retail", "price"}, name) {
				c.t.Errorf("%s: the client's %s does not have %s", at, is, name)
			}
			continue
		}
		if _, options, _ := strings.Cut(field.Tag.Get("json"), ","); c.sent && options != "" && slices.Contains(required, any(name)) && is != reflect.TypeFor[Contact]() {
			c.t.Errorf("%s/%s: it is always wanted, and must not be left out", at, name)
		}
		c.compareNull(at+"/"+name, field, properties[name])
		c.compare(at+"/"+name, field.Type, properties[name])
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if properties[name] == nil {
			c.t.Errorf("%s: the API does not have %s of the client's %s", at, name, is)
		}
	}
}

// compareNull expects that the API encodes a field's zero value as null exactly if the schema allows null.
func (c comparison) compareNull(at string, field reflect.StructField, schema any) {
	_, nullable := withoutNull(schema)
	switch kind := field.Type.Kind(); {
	case c.sent, kind == reflect.Pointer, kind == reflect.Slice, kind == reflect.Map, field.Type == reflect.TypeFor[Decimal](), strings.Contains(field.Tag.Get("json"), ","):
	case nullable != (field.Tag.Get("wire") == "null"):
		c.t.Errorf("%s: want the tag wire:\"null\" exactly if the schema allows null: %t", at, nullable)
	}
}

// compareWords expects that a string type has the words of the schema, with a constant for each.
func (c comparison) compareWords(at string, is reflect.Type, says map[string]any) {
	words, _ := says["enum"].([]any)
	if words == nil {
		return
	}
	if is.PkgPath() == "" {
		if !slices.Contains([]string{"mode", "outcome", "cause", "endpoint", "deliveryFormat", "deliveryMethod", "certificate_ended", "admission_ended[]", "level"}, at[strings.LastIndex(at, "/")+1:]) && !strings.HasSuffix(at, "/certification/state") && !slices.ContainsFunc(onlyTypes, func(id string) bool { return strings.HasPrefix(at, id+" ") }) && !strings.HasSuffix(at, "/certification/ended/reason") && !strings.Contains(at, "/admission/") {
			c.t.Errorf("%s: want a type with a constant for each of %v, got %s", at, words, is)
		}
		return
	}
	for _, word := range words {
		if word, ok := word.(string); ok && !slices.Contains(c.constants[is.Name()], word) {
			c.t.Errorf("%s: %s has no constant for %q", at, is, word)
		}
	}
	// Part of the words is enough for a filter, such as the status of a list.
}

// withoutNull returns a schema without its alternative null, and whether it had one.
func withoutNull(schema any) (map[string]any, bool) {
	says, _ := schema.(map[string]any)
	if branches, ok := says["anyOf"].([]any); ok {
		merged, nullable := maps.Clone(says), false
		delete(merged, "anyOf")
		for _, branch := range branches {
			branch := branch.(map[string]any)
			if branch["type"] == "null" {
				nullable = true
				continue
			}
			maps.Copy(merged, branch)
		}
		if merged["enum"] != nil && merged["type"] == nil {
			merged["type"] = "string"
		}
		return merged, nullable
	}
	if parts, ok := says["allOf"].([]any); ok {
		properties := map[string]any{}
		for _, part := range append(parts, says) {
			below, _ := part.(map[string]any)["properties"].(map[string]any)
			maps.Copy(properties, below)
		}
		return map[string]any{"type": "object", "properties": properties}, false
	}
	kinds, ok := says["type"].([]any)
	if !ok {
		return says, false
	}
	one := maps.Clone(says)
	one["type"] = kinds[0]
	return one, slices.Contains(kinds, any("null"))
}

func anyOne(values any) any {
	properties, _ := values.(map[string]any)
	for _, value := range properties {
		return value
	}
	return nil
}

// fieldsOf returns the fields of a struct and of its embedded structs, by JSON name.
func fieldsOf(is reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(is) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "-" {
			continue
		}
		fields[name] = field
	}
	return fields
}

// constantsOf returns the values of some packages' string constants, by type.
func constantsOf(t *testing.T, folders ...string) map[string][]string {
	t.Helper()
	var names []string
	for _, folder := range folders {
		found, err := filepath.Glob(folder + "/*.go")
		errtest.Check(t, err)
		names = append(names, found...)
	}
	constants := map[string][]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		errtest.Check(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind := spec.Type
			if other, ok := kind.(*ast.SelectorExpr); ok { // of another package
				kind = other.Sel
			}
			name, typed := kind.(*ast.Ident)
			literal, isText := spec.Values[0].(*ast.BasicLit)
			if typed && isText {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					constants[name.Name] = append(constants[name.Name], text)
				}
			}
			return true
		})
	}
	return constants
}
