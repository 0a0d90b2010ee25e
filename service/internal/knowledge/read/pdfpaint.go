package read

import (
	"fmt"
	"math"

	"github.com/ledongthuc/pdf"
)

// matrix is [a b c d e f] of PDF: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times applies m first, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is the state that q saves and Q restores.
type state struct {
	place                   matrix
	font                    *pdfFont
	size                    float64
	spacing, words, leading float64
	scale, rise             float64
}

// painter follows the operators of a page and collects its lines.
type painter struct {
	state
	saved       []state
	text, begin matrix // the matrices of the text and of its line
	resources   pdf.Value
	fonts       map[string]*pdfFont
	forms       int // how deeply forms are nested
	room        int // bytes of text that may still come
	lines       []pdfLine
}

const (
	maxForms = 8
	maxSaved = 1000
)

// lines returns what a page paints; room is how many bytes of text it may have.
func (p pdfPage) lines(room int) (lines []pdfLine, err error) {
	paint := &painter{resources: p.resources, fonts: map[string]*pdfFont{}, room: room}
	paint.state = state{place: identity, scale: 1}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Refusal:
			err = r
		default:
			lines, err = paint.lines, fmt.Errorf("%w (%T)", Broken, r)
		}
	}()
	if !p.contents.IsNull() {
		pdf.Interpret(p.contents, paint.do)
	}
	return paint.lines, nil
}

// do executes an operator (PDF 32000-1, annex A). It ignores operators that neither paint nor
// move text.
func (p *painter) do(stack *pdf.Stack, op string) {
	var args []pdf.Value
	for stack.Len() > 0 {
		args = append(args, stack.Pop())
	}
	for i, j := 0, len(args)-1; i < j; i, j = i+1, j-1 {
		args[i], args[j] = args[j], args[i]
	}
	if need, ok := operands[op]; !ok || len(args) < need {
		return
	}
	switch op {
	case "q":
		if len(p.saved) < maxSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.place = matrixOf(args).times(p.place)
	case "Do":
		p.paintObject(args[0].Name())
	case "Tj":
		p.show(args[0].RawString())
	case "'":
		p.move(0, -p.leading)
		p.show(args[0].RawString())
	case "\"":
		p.words, p.spacing = args[0].Float64(), args[1].Float64()
		p.move(0, -p.leading)
		p.show(args[2].RawString())
	case "TJ":
		p.showAll(args[0])
	default:
		p.set(op, args)
	}
}

// operands are the operators that are used, and how many operands each needs.
var operands = map[string]int{
	"q": 0, "Q": 0, "cm": 6, "Do": 1, "BT": 0, "Tf": 2, "Td": 2, "TD": 2, "Tm": 6, "T*": 0, "Tc": 1, "Tw": 1, "Tz": 1,
	"TL": 1, "Ts": 1, "Tj": 1, "TJ": 1, "'": 1, "\"": 3,
}

// set executes the operators that set the state of text.
func (p *painter) set(op string, args []pdf.Value) {
	switch op {
	case "BT":
		p.text, p.begin = identity, identity
	case "Tf":
		p.font, p.size = p.fontOf(args[0].Name()), args[1].Float64()
	case "Td":
		p.move(args[0].Float64(), args[1].Float64())
	case "TD":
		p.leading = -args[1].Float64()
		p.move(args[0].Float64(), args[1].Float64())
	case "Tm":
		p.text = matrixOf(args)
		p.begin = p.text
	case "T*":
		p.move(0, -p.leading)
	case "Tc":
		p.spacing = args[0].Float64()
	case "Tw":
		p.words = args[0].Float64()
	case "Tz":
		p.scale = args[0].Float64() / 100
	case "TL":
		p.leading = args[0].Float64()
	case "Ts":
		p.rise = args[0].Float64()
	}
}

func matrixOf(args []pdf.Value) (m matrix) {
	for i := range m {
		m[i] = args[i].Float64()
	}
	return m
}

func (p *painter) move(x, y float64) {
	p.begin = matrix{1, 0, 0, 1, x, y}.times(p.begin)
	p.text = p.begin
}

func (p *painter) fontOf(name string) *pdfFont {
	if f, ok := p.fonts[name]; ok {
		return f
	}
	f := newFont(p.resources.Key("Font").Key(name))
	p.fonts[name] = f
	return f
}

// paintObject paints a form, which is a separate object.
func (p *painter) paintObject(name string) {
	object := p.resources.Key("XObject").Key(name)
	if object.Key("Subtype").Name() != "Form" || p.forms >= maxForms {
		return
	}
	outer := *p
	p.saved = nil
	p.forms++
	if own := object.Key("Resources"); !own.IsNull() {
		p.resources, p.fonts = own, map[string]*pdfFont{}
	}
	if m := object.Key("Matrix"); m.Len() == len(p.place) {
		var inner matrix
		for i := range inner {
			inner[i] = m.Index(i).Float64()
		}
		p.place = inner.times(p.place)
	}
	pdf.Interpret(object, p.do)
	p.state, p.saved, p.resources, p.fonts, p.forms = outer.state, outer.saved, outer.resources, outer.fonts, outer.forms
}

// showAll shows strings with moves between them, in thousandths of the size.
func (p *painter) showAll(list pdf.Value) {
	for i := range list.Len() {
		if v := list.Index(i); v.Kind() == pdf.String {
			p.show(v.RawString())
		} else {
			p.advance(-v.Float64() / 1000 * p.size)
		}
	}
}

func (p *painter) advance(x float64) {
	p.text = matrix{1, 0, 0, 1, x * p.scale, 0}.times(p.text)
}

// show shows a string, and adds it to the lines.
func (p *painter) show(raw string) {
	if p.font == nil {
		return
	}
	if p.room -= len(raw); p.room < 0 {
		panic(TooMuchText)
	}
	for _, g := range p.font.glyphs(raw) {
		at := matrix{1, 0, 0, 1, 0, p.rise}.times(p.text).times(p.place)
		width := g.width/1000*p.size + p.spacing
		if g.space {
			width += p.words
		}
		p.advance(width)
		end := p.text.times(p.place)
		p.add(pdfGlyph{
			text: g.text, x: at[4], y: at[5], end: end[4],
			size: math.Abs(p.size) * math.Hypot(at[2], at[3]), bold: p.font.bold, upright: math.Abs(at[1]) < math.Abs(at[0])/10,
		})
	}
}
