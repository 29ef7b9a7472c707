package conformance

import (
	"partnerkit.dev/marketplace/internal/domain"
)

// Standing is an integration's certification state.
type Standing string

// The standings.
const (
	NeverCertified Standing = "none"      // no full run has reached a verdict
	Certified      Standing = "certified" // the certificate is valid
	NotConformant  Standing = "failed"    // the last full run found a breach, and there was no certificate
	Expired        Standing = "expired"   // the last certificate has ended; Ending says why
)

// EndReason says why a certificate ended.
type EndReason string

// The reasons.
const (
	EndedByBreach   EndReason = "breach"           // a later run found a breach
	EndedByTime     EndReason = "expired"          // its validity period has passed
	EndedBySettings EndReason = "settings_changed" // a setting is not the one that was tested
)

// ErrOtherSettings is returned for a decision about settings that are no longer in force.
var ErrOtherSettings = &domain.Error{Code: domain.Conflict, Message: "the integration's settings are not the ones that you looked at; read it and decide again"}
