// Package imagetest makes image files for tests, valid ones and hostile ones.
package imagetest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// PNG returns a picture of this size, in pixels.
func PNG(width, height int) []byte { return encoded(width, height, png.Encode) }

// JPEG is like PNG.
func JPEG(width, height int) []byte {
	return encoded(width, height, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
}

// GIF is like PNG.
func GIF(width, height int) []byte {
	return encoded(width, height, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) })
}

func encoded(width, height int, encode func(io.Writer, image.Image) error) []byte {
	var file bytes.Buffer
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	if err := encode(&file, picture); err != nil {
		panic(err) // writing to memory never fails
	}
	return file.Bytes()
}

// WebP returns the beginning of a lossless file, which has the size but no
// pixels.
func WebP(width, height int) []byte {
	file := []byte("RIFF\x12\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f")
	file = binary.LittleEndian.AppendUint32(file, uint32(width-1)|uint32(height-1)<<14)
	return append(file, 0)
}

// HugePNG returns a few bytes that claim to be a picture of this size.
func HugePNG(width, height int) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	header = append(header, 8, 2, 0, 0, 0)
	file := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	file = append(file, header...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(header))
}

// SVG is not an image for the service, because it can hold scripts.
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
