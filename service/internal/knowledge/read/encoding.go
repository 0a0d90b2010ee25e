package read

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"
)

// The byte order marks of encodings.
const (
	utf8BOM = "\xef\xbb\xbf"
	utf16LE = "\xff\xfe"
	utf16BE = "\xfe\xff"
)

// detected is how many bytes an encoding is found out from.
const detected = 256 << 10

// wide are the encodings in which a character has one or more bytes, and narrow those with a byte for each, by the names
// that the detector gives; the encodings of Windows stand for those of ISO that they extend.
var (
	wide = map[string]encoding.Encoding{
		"GB18030": simplifiedchinese.GB18030, "Big5": traditionalchinese.Big5, "Shift_JIS": japanese.ShiftJIS, "EUC-JP": japanese.EUCJP,
		"EUC-KR": korean.EUCKR, "ISO-2022-JP": japanese.ISO2022JP,
	}
	narrow = map[string]encoding.Encoding{
		"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1252": charmap.Windows1252,
		"windows-1253": charmap.Windows1253, "windows-1254": charmap.Windows1254, "windows-1255": charmap.Windows1255,
		"windows-1256": charmap.Windows1256, "KOI8-R": charmap.KOI8U,
	}
	extended = map[string]string{
		"ISO-8859-1": "windows-1252", "ISO-8859-2": "windows-1250", "ISO-8859-5": "windows-1251", "ISO-8859-6": "windows-1256",
		"ISO-8859-7": "windows-1253", "ISO-8859-8": "windows-1255", "ISO-8859-8-I": "windows-1255", "ISO-8859-9": "windows-1254",
	}
)

// decoded returns the text of bytes, and notes the encoding in which it was read.
func (b *builder) decoded(data []byte) (string, error) {
	name, from := encodingOf(data)
	if b.encoding = name; from == nil {
		return strings.TrimPrefix(withStrays(data), utf8BOM), nil
	}
	text, err := from.NewDecoder().Bytes(data)
	if err != nil {
		return "", Broken
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}

// encodingOf finds out the encoding of a text. It is nil for UTF-8.
func encodingOf(data []byte) (name string, from encoding.Encoding) {
	switch {
	case bytes.HasPrefix(data, []byte(utf16LE)), isUTF16(data, 1):
		return "UTF-16LE", utf.UTF16(utf.LittleEndian, utf.UseBOM)
	case bytes.HasPrefix(data, []byte(utf16BE)), isUTF16(data, 0):
		return "UTF-16BE", utf.UTF16(utf.BigEndian, utf.UseBOM)
	case bytes.HasPrefix(data, []byte("\x1b$")) || bytes.Contains(data[:min(len(data), detected)], []byte("\x1b$B")):
		return "ISO-2022-JP", japanese.ISO2022JP
	case isUTF8(data):
		return "UTF-8", nil
	}
	head := data[:min(len(data), detected)]
	if name := wideOf(head); name != "" {
		return name, wide[name]
	}
	name = "windows-1252"
	if best, err := chardet.NewTextDetector().DetectBest(head); err == nil {
		if other := extended[best.Charset]; other != "" {
			best.Charset = other
		}
		if narrow[best.Charset] != nil {
			name = best.Charset
		}
	}
	if name == "windows-1250" && countHigh(head) < certain {
		name = "windows-1252"
	}
	if name == "windows-1252" && isTurkish(head) {
		name = "windows-1254"
	}
	return name, narrow[name]
}

// certain is how many characters beyond ASCII tell the languages of Windows-1250 from those of Windows-1252.
const certain = 6

// isUTF16 reports whether bytes without a mark are mostly Latin letters in UTF-16, of which the bytes at even or odd
// places are 0.
func isUTF16(data []byte, zero int) bool {
	head := data[:min(len(data), 1024)&^1]
	if len(head) < 4 || len(data)%2 != 0 {
		return false
	}
	zeros := 0
	for i := zero; i < len(head); i += 2 {
		if head[i] == 0 {
			zeros++
		}
		if head[i^1] == 0 {
			return false
		}
	}
	return zeros*10 > len(head)/2*9
}

// isUTF8 reports whether bytes are UTF-8 with hardly any stray byte between: a text in another encoding has hardly any
// sequence of bytes that is a character of UTF-8.
func isUTF8(data []byte) bool {
	characters, strays := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			strays++
		case size > 1:
			characters++
		}
		data = data[size:]
	}
	return strays == 0 || characters >= 2*strays
}

// withStrays decodes UTF-8 in which stray bytes are those of Windows-1252.
func withStrays(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var text strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(data[0])
		}
		text.WriteRune(r)
		data = data[size:]
	}
	return text.String()
}

// wideOf returns the encoding with several bytes for a character in which a text makes most sense, empty if it makes none
// in any: most of its characters are kana or frequent. Each bytes of one of these encodings is something in the others,
// too, so that only what is written in a language tells them apart.
func wideOf(head []byte) string {
	if high := countHigh(head); high*5 < len(head) && high < 40 {
		return ""
	}
	best, most := "", 0.35
	for _, name := range []string{"GB18030", "Shift_JIS", "EUC-JP", "EUC-KR", "Big5"} {
		text, err := wide[name].NewDecoder().Bytes(head)
		if err != nil {
			continue
		}
		if score := senseOf(string(text), name); score > most {
			best, most = name, score
		}
	}
	return best
}

func countHigh(data []byte) (count int) {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			count++
		}
	}
	return count
}

// senseOf returns which share of the characters beyond ASCII is usual in a language of the encoding.
func senseOf(text, name string) float64 {
	all, usual := 0, 0.0
	for _, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		all++
		switch {
		case r == utf8.RuneError:
			usual -= 5
		case r >= 0xff61 && r <= 0xff9f: // kana of half the width, which are bytes of anything
			usual -= 0.2
		case unicode.In(r, unicode.Hiragana, unicode.Katakana), r == 'ー':
			usual += japaneseShare(name)
		case strings.ContainsRune("。，、「」！？：；（）《》・…　～", r):
			usual += 0.5
		case unicode.Is(unicode.Hangul, r):
			usual += koreanShare(name, r)
		case strings.ContainsRune(frequentHan, r):
			usual++
		case unicode.Is(unicode.Han, r):
			usual += 0.15
		}
	}
	if all == 0 {
		return 0
	}
	return usual / float64(all)
}

func japaneseShare(name string) float64 {
	if name == "Shift_JIS" || name == "EUC-JP" {
		return 1
	}
	return 0.1
}

func koreanShare(name string, r rune) float64 {
	switch {
	case name != "EUC-KR":
		return 0
	case strings.ContainsRune(frequentHangul, r):
		return 1
	}
	return 0.15
}

// isTurkish reports whether a text that could be in Windows-1252 has the letters that Windows-1254 has in place of those
// of Icelandic, and no other letter of Icelandic.
func isTurkish(head []byte) bool {
	turkish, icelandic := 0, 0
	for _, b := range head {
		switch b {
		case 0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe:
			turkish++
		case 0xc6, 0xe6, 0xe1, 0xed, 0xfa, 0xc1, 0xcd, 0xda:
			icelandic++
		}
	}
	return turkish > 0 && icelandic == 0
}

// The most frequent characters of Chinese, simplified and traditional, and of Japanese, and syllables of Korean.
const (
	frequentHan = `的一是不了在人有我他这個个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同` +
		`现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最` +
		`重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各` +
		`入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五` +
		`基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔叫號号` +
		`請请假薪週周每職員時間問題資料電話網絡络說為來們這國會後過對經發學進動還開關點業長東車門見書語讀買賣費價錢萬億優惠客戶服務聯繫統設選擇確認消` +
		`訂單付款退貨運送址姓郵密碼登註冊京町村駅店営円税込予約場番氏火木土曜午休祝毎半低古食飲質答連申注変容種類無六七八九百千富士湖川花春夏秋冬朝昼` +
		`夜昨校室練習試参具持`
	frequentHangul = `이다는을의에가로고하지를은서사기시인어한대자정도해리일스제과보아수나장부원전유상주연구성라있그만것면경안들여용공게동조관우발년으간학요계방국` +
		`세실비선위회화미신생소반물입적산문내결까터분습니합했된될할때중무모든없않같많더또및등개월오단체업설명확필청휴점심식출퇴근직급행차량번호님녕감`
)
