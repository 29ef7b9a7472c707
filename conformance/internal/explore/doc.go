// Package explore makes up lifecycles: stories of reserves, confirms, releases,
// cancellations and expiries in an order that nobody thought of. It knows nothing
// of HTTP and of the partner.
//
// Search draws stories by a seed and has them played, one after another, until one
// breaks; then it has shorter ones played, and keeps the shortest that breaks as
// well. Whoever plays a story holds each answer against a Model, which says what
// the contract allows in the state that the story has come to.
package explore
