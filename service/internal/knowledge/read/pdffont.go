package read

import (
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// pdfFont maps the bytes of a string in a PDF to text, and knows how wide it is.
type pdfFont struct {
	wide    bool // two bytes a character
	bold    bool
	unicode map[string]string // from ToUnicode
	simple  [256]string       // if that says nothing, and wide is not set
	widths  map[int]float64   // in thousandths of the size
	space   float64           // the width of characters without their own
}

func newFont(v pdf.Value) *pdfFont {
	f := &pdfFont{wide: v.Key("Subtype").Name() == "Type0", widths: map[int]float64{}, space: 500}
	f.bold = strings.Contains(strings.ToLower(v.Key("BaseFont").Name()), "bold")
	if to := v.Key("ToUnicode"); to.Kind() == pdf.Stream {
		f.unicode = readCMap(to, v)
	}
	if f.wide {
		f.wideWidths(v.Key("DescendantFonts").Index(0))
		return f
	}
	f.decode(v)
	first, widths := int(v.Key("FirstChar").Int64()), v.Key("Widths")
	for i := range min(widths.Len(), 256) {
		f.widths[first+i] = widths.Index(i).Float64()
	}
	return f
}

// decode asks the library what each byte means. If an encoding has differences, it ignores the
// base encoding, which is nearly always that of Windows.
func (f *pdfFont) decode(v pdf.Value) {
	font := pdf.Font{V: v}
	encoder := font.Encoder()
	differs := v.Key("Encoding").Kind() == pdf.Dict
	for code := range f.simple {
		raw := string([]byte{byte(code)})
		text := encoder.Decode(raw)
		if differs && code >= 0x80 && text == string(rune(code)) || text == raw && code >= 0x80 {
			text = string(charmap.Windows1252.DecodeByte(byte(code)))
		}
		f.simple[code] = text
	}
}

// wideWidths reads the array W of a font with characters of two bytes:
// "first [w w w]" or "first last w".
func (f *pdfFont) wideWidths(v pdf.Value) {
	f.space = 1000
	if all := v.Key("DW"); !all.IsNull() {
		f.space = all.Float64()
	}
	w := v.Key("W")
	for i := 0; i+1 < w.Len(); {
		first := int(w.Index(i).Int64())
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for k := range list.Len() {
				f.widths[first+k] = list.Index(k).Float64()
			}
			i += 2
			continue
		}
		last := min(int(w.Index(i+1).Int64()), first+1<<16)
		for code := first; code <= last; code++ {
			f.widths[code] = w.Index(i + 2).Float64()
		}
		i += 3
	}
}

// glyph is a shown character: its code, its text and its width.
type glyph struct {
	text  string
	width float64 // in thousandths of the size
	space bool    // it is the byte 32, which word spacing widens
}

func (f *pdfFont) glyphs(raw string) []glyph {
	step := 1
	if f.wide {
		step = 2
	}
	all := make([]glyph, 0, len(raw)/step)
	for i := 0; i+step <= len(raw); i += step {
		code := int(raw[i])
		if f.wide {
			code = code<<8 | int(raw[i+1])
		}
		g := glyph{width: f.space, space: !f.wide && code == ' '}
		if width, ok := f.widths[code]; ok {
			g.width = width
		}
		text, ok := f.unicode[raw[i:i+step]]
		if !ok && !f.wide {
			text = f.simple[code]
		}
		g.text = ligatures.Replace(text)
		all = append(all, g)
	}
	return all
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00ad", "-", "\x00", "", "�", "")

// readCMap reads the map from codes to text (PDF 32000-1, section 9.10.3), as far as possible.
// The interpreter wants a dictionary at the beginning of the program, and any dictionary will do.
func readCMap(stream, dictionary pdf.Value) (all map[string]string) {
	all = map[string]string{}
	defer func() { _ = recover() }()
	pdf.Interpret(stream, func(stack *pdf.Stack, op string) {
		var args []pdf.Value
		for stack.Len() > 0 {
			args = append([]pdf.Value{stack.Pop()}, args...)
		}
		switch op {
		case "findresource":
			stack.Push(dictionary)
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				all[args[i].RawString()] = utf16Text(args[i+1].RawString())
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				addRange(all, args[i].RawString(), args[i+1].RawString(), args[i+2])
			}
		}
	})
	return all
}

// addRange maps the codes from low to high, which have the same length, to consecutive texts, or
// to those of an array.
func addRange(all map[string]string, low, high string, to pdf.Value) {
	first, last := codeOf(low), codeOf(high)
	for code := first; code <= last && code-first < 1<<16; code++ {
		key := make([]byte, len(low))
		for i, rest := len(key)-1, code; i >= 0; i, rest = i-1, rest>>8 {
			key[i] = byte(rest)
		}
		if to.Kind() == pdf.Array {
			all[string(key)] = utf16Text(to.Index(code - first).RawString())
			continue
		}
		if text := []rune(utf16Text(to.RawString())); len(text) > 0 {
			text[len(text)-1] += rune(code - first)
			all[string(key)] = string(text)
		}
	}
}

func codeOf(raw string) int {
	code := 0
	for i := range min(len(raw), 4) {
		code = code<<8 | int(raw[i])
	}
	return code
}

func utf16Text(raw string) string {
	if len(raw) == 1 {
		return string(rune(raw[0]))
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}
