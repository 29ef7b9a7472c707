package main_test

import (
	"fmt"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// networkFault is a way of the mock partner in which an answer is not one, or comes
// too late, and what that breaks, named without its endpoint. It comes after the
// effect: what an endpoint does, it has done.
type networkFault struct {
	name, action, breaks string
	only                 partnerapi.Endpoint // "": every endpoint; else the one with long answers
}

var networkFaults = []networkFault{
	{name: "closes the connection without a byte", action: "fault: EMPTY_RESPONSE", breaks: "status"},
	{name: "resets the connection", action: "fault: CONNECTION_RESET_BY_PEER", breaks: "status"},
	{name: "sends random bytes", action: "fault: RANDOM_DATA_THEN_CLOSE", breaks: "status"},
	{name: "sends a malformed chunk", action: "fault: MALFORMED_RESPONSE_CHUNK", breaks: "json"},
	{name: "cuts the answer short", action: "limit_data: {bytes: 1}", breaks: "json"},
	{name: "answers long after the limit", action: "delay: 1m", breaks: "limit"},
	{name: "dribbles the body", action: "delay: {dribble: {chunks: 2, over: 1m}}", breaks: "limit"},
	{name: "has little bandwidth", action: "bandwidth: {rate: 1}", breaks: "limit", only: partnerapi.Availability},
	{name: "sends its header slowly", action: "slow_header: {over: 1m}", breaks: "limit"},
	{name: "closes the connection long after the body", action: "slow_close: {delay: 1m}", breaks: "limit"},
}

func TestEveryNetworkFaultOnEveryEndpointIsOneFindingWithinTheRunsTime(t *testing.T) {
	t.Parallel()
	for row, endpoint := range partnerapi.Endpoints() {
		for column, network := range networkFaults {
			if network.only != "" && network.only != endpoint || network.only == "" && !isTried(row+column) {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", endpoint, network.name), func(t *testing.T) {
				t.Parallel()
				scenario, err := mockpartner.ParseScenario("fault.yaml", fmt.Appendf(nil,
					"faults:\n  - match: {endpoint: %s}\n    when: after\n    %s\n", endpoint, network.action))
				if err != nil {
					t.Fatal(err)
				}
				_, address := startMock(t, mockpartner.Options{Variants: []string{"one-product"}, Scenario: scenario})
				r := judge(t, address, "--limit-scale", hurry)
				r.hasOneFinding(t, string(endpoint)+"."+network.breaks, endpoint)
			})
		}
	}
}
