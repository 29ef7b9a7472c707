package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

func TestAScreenshotKeepsItsFrequentColours(t *testing.T) {
	t.Parallel()
	screenshot := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			c := color.RGBA{R: 20, G: 90, B: 160, A: 255} // a page
			if y == 0 {
				c = color.RGBA{R: uint8(x), G: 255, A: 255} // 200 colours
			}
			if y == 1 {
				c = color.RGBA{R: uint8(x), B: 255, A: 255} // 200 more
			}
			screenshot.SetRGBA(x, y, c)
		}
	}
	var text bytes.Buffer
	if err := png.Encode(&text, screenshot); err != nil {
		t.Fatal(err)
	}
	small, err := reducePalette(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if indexed, is := got.(*image.Paletted); !is || len(indexed.Palette) != mostColours || got.Bounds() != screenshot.Bounds() {
		t.Fatalf("Expected %d colours and the same size, received %T of %v", mostColours, got, got.Bounds())
	}
	if c := color.RGBAModel.Convert(got.At(7, 100)); c != (color.RGBA{R: 20, G: 90, B: 160, A: 255}) {
		t.Errorf("Expected the page's colour as it was, received %v", c)
	}
	if _, err := reducePalette([]byte("text")); err == nil {
		t.Error("Expected an error for what is no picture")
	}
}
