package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// mostColours is the size of a palette. A pixel is then one byte, and a screenshot half as large.
const mostColours = 256

// reducePalette returns a screenshot with a palette of its most frequent colours. Other colours become the
// nearest of them: in a screenshot, these are few pixels at the edges of letters.
func reducePalette(screenshot []byte) ([]byte, error) {
	drawn, err := png.Decode(bytes.NewReader(screenshot))
	if err != nil {
		return nil, fmt.Errorf("read the screenshot: %w", err)
	}
	count := map[color.RGBA]int{}
	area := drawn.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			count[color.RGBAModel.Convert(drawn.At(x, y)).(color.RGBA)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range frequent[:min(len(frequent), mostColours)] {
		palette = append(palette, c)
	}
	indexed := image.NewPaletted(area, palette)
	draw.Draw(indexed, area, drawn, area.Min, draw.Src)
	var text bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&text, indexed)
	return text.Bytes(), err
}
