package read

// Refusal is why a file was not read. Compare with errors.Is. Error is a sentence for the person
// who uploaded the file.
type Refusal string

// Why a file is refused. The child process sends these words.
const (
	Empty         Refusal = "empty"
	NoText        Refusal = "no text"
	Encrypted     Refusal = "encrypted"
	Broken        Refusal = "broken"
	UnknownKind   Refusal = "unknown kind"
	TooLarge      Refusal = "too large"
	TooMuchText   Refusal = "too much text"
	TooMuchInside Refusal = "too much inside"
	TooSlow       Refusal = "too slow"
	TooMuchSpace  Refusal = "too much memory"
)

var sentences = map[Refusal]string{
	Empty:         "the file is empty: choose one with text in it",
	NoText:        "the PDF has no text, perhaps only pictures: run text recognition on it and upload the result",
	Encrypted:     "the file is protected with a password: save it without one and upload that",
	Broken:        "the file is broken or cut off: open it in its program, save it again and upload that",
	UnknownKind:   "the file is of a kind that is not read: save it as PDF, Word (.docx), Excel (.xlsx), OpenDocument or plain text",
	TooLarge:      "the file is too large: upload it in parts",
	TooMuchText:   "the file has more than 10 MiB of text: upload it in parts",
	TooMuchInside: "the file unpacks to more than 128 MiB of text, or is too complex: upload it in parts, or save it in a simpler form",
	TooSlow:       "the file took too long to read: upload it in parts, or save it in a simpler form",
	TooMuchSpace:  "the file took too much memory to read: upload it in parts, or save it in a simpler form",
}

// Error says what is wrong with the file and what to do.
func (r Refusal) Error() string {
	if sentence, ok := sentences[r]; ok {
		return sentence
	}
	return sentences[Broken]
}
