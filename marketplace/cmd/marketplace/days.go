package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// days is a flag for a duration in days, such as 400d. It also accepts Go's durations, such as
// 9600h.
type days time.Duration

const day = 24 * time.Hour

// Set implements pflag.Value.
func (d *days) Set(text string) error {
	if number, is := strings.CutSuffix(text, "d"); is {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n > uint64(math.MaxInt64/day) {
			return fmt.Errorf("expected days such as 400d, received %.40q", text)
		}
		*d = days(time.Duration(n) * day)
		return nil
	}
	read, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("expected days such as 400d, or a duration such as 9600h, received %.40q", text)
	}
	*d = days(read)
	return nil
}

// String implements pflag.Value.
func (d days) String() string {
	if time.Duration(d)%day == 0 {
		return fmt.Sprintf("%dd", time.Duration(d)/day)
	}
	return time.Duration(d).String()
}

// Type implements pflag.Value.
func (*days) Type() string { return "duration" }
