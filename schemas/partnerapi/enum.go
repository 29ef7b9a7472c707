package partnerapi

// AvailabilityType says how an option's slots are defined.
type AvailabilityType string

// The two availability types.
const (
	StartTime    AvailabilityType = "START_TIME"    // fixed start times
	OpeningHours AvailabilityType = "OPENING_HOURS" // open during a window
)

// UnitType is a kind of guest.
type UnitType string

// The five guest types.
const (
	Adult   UnitType = "ADULT"
	Child   UnitType = "CHILD"
	Infant  UnitType = "INFANT"
	Senior  UnitType = "SENIOR"
	Student UnitType = "STUDENT"
)

// UnitTypes lists every guest type.
func UnitTypes() []UnitType { return []UnitType{Adult, Child, Infant, Senior, Student} }

// FixedUnitID returns the required id of a unit of type t. It returns false for a type whose id the
// partner may choose (PRD-12).
func (t UnitType) FixedUnitID() (string, bool) {
	switch t {
	case Adult:
		return "unit-adult", true
	case Child:
		return "unit-child", true
	case Infant:
		return "unit-infant", true
	case Senior:
		return "unit-senior", true
	}
	return "", false
}

// AdultUnitID is the unit for which the marketplace requests availability (AVL-2).
const AdultUnitID = "unit-adult"

// SlotStatus says whether a slot can be sold.
type SlotStatus string

// The five slot statuses (AVL-9).
const (
	StatusAvailable SlotStatus = "AVAILABLE" // bookable
	StatusFreesale  SlotStatus = "FREESALE"  // bookable without a limit
	StatusLimited   SlotStatus = "LIMITED"   // bookable, few left
	StatusSoldOut   SlotStatus = "SOLD_OUT"  // visible, not bookable
	StatusClosed    SlotStatus = "CLOSED"    // hidden
)

// SlotStatuses lists every slot status.
func SlotStatuses() []SlotStatus {
	return []SlotStatus{StatusAvailable, StatusFreesale, StatusLimited, StatusSoldOut, StatusClosed}
}

// IsBookable reports whether a slot with this status may be reserved.
func (s SlotStatus) IsBookable() bool {
	return s == StatusAvailable || s == StatusFreesale || s == StatusLimited
}

// StatusConfirmed is the status that a confirmed booking should have (CNF-3).
const StatusConfirmed = "CONFIRMED"

// The delivery formats and methods of the tickets that the mock partner issues. The schema lists
// all valid ones.
const (
	QRCode         = "QRCODE"
	PDFURL         = "PDF_URL"
	DeliverTicket  = "TICKET"
	DeliverVoucher = "VOUCHER"
)
