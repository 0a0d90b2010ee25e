package read_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

func TestEncodingsAreFoundOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   encoding.Encoding
		text string
	}{
		{"GB18030", simplifiedchinese.GB18030, "你好世界。"},
		{"GB18030", simplifiedchinese.GB18030, "会议改到星期四下午三点，请带上合同。"},
		{"Big5", traditionalchinese.Big5, "會議改到星期四下午三點，請帶上合約。"},
		{"Shift_JIS", japanese.ShiftJIS, "富士山は日本一です"},
		{"Shift_JIS", japanese.ShiftJIS, "Q: 駐車場はありますか。A: はい、二十台まで無料です。"},
		{"EUC-JP", japanese.EUCJP, "会議は木曜日の午後三時に変更されました。"},
		{"ISO-2022-JP", japanese.ISO2022JP, "会議は木曜日です。"},
		{"EUC-KR", korean.EUCKR, "회의는 목요일 오후 세 시로 바뀌었습니다."},
		{"EUC-KR", korean.EUCKR, "안녕하세요 세계"},
		{"windows-1251", charmap.Windows1251, "Собрание перенесено на четверг, на три часа дня."},
		{"KOI8-R", charmap.KOI8R, "Собрание перенесено на четверг, на три часа дня."},
		{"windows-1252", charmap.Windows1252, "Die Prüfung beträgt 5 € – für Schüler."},
		{"windows-1252", charmap.Windows1252, "caf\u00e9"},
		{"windows-1250", charmap.Windows1250, "Zebranie przełożono na czwartek, na godzinę piętnastą, żółć."},
		{"windows-1253", charmap.Windows1253, "Η συνεδρίαση μεταφέρθηκε στην Πέμπτη το απόγευμα."},
		{"windows-1254", charmap.Windows1254, "Toplantı perşembe gününe alındı, İğneada."},
		{"windows-1255", charmap.Windows1255, "הפגישה נדחתה ליום חמישי אחר הצהריים."},
		{"windows-1256", charmap.Windows1256, "تم تأجيل الاجتماع إلى يوم الخميس بعد الظهر."},
		{"UTF-16LE", utf.UTF16(utf.LittleEndian, utf.UseBOM), "Grüße"},
		{"UTF-16LE", utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), "No mark here"},
		{"UTF-16BE", utf.UTF16(utf.BigEndian, utf.UseBOM), "Grüße"},
		{"UTF-8", utf.UTF8BOM, "Grüße"},
		{"UTF-8", utf.UTF8, "你好世界"},
	}
	for _, test := range tests {
		data, err := test.in.NewEncoder().Bytes([]byte(test.text))
		require.NoError(t, err)
		d, err := read.Bytes("a.txt", data)
		require.NoError(t, err)
		require.Equal(t, test.text, d.Text)
		require.Equal(t, test.name, d.Encoding, test.text)
	}
}

// One byte that is none of UTF-8 spoils nothing else, and a few control characters refuse no text.
func TestTextsWithStrays(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Grüße und \xe9 zorbex":  "Grüße und é zorbex",
		"Ring\x07 and \x08back":  "Ring and back",
		"\x01log\n\n\x1b[31mred": "log\n\n[31mred",
	} {
		d, err := read.Bytes("a.txt", []byte(in))
		require.NoError(t, err)
		require.Equal(t, want, d.Text)
	}
}
