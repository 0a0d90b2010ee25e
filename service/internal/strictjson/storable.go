package strictjson

import "errors"

// The ways in which a value can't be stored and returned everywhere. The texts follow the name of a field.
var (
	ErrTooDeep   = errors.New("nests too deep")
	ErrNUL       = errors.New("holds a NUL character")
	ErrSurrogate = errors.New("holds half of a surrogate pair")
)

// Storable refuses valid JSON that nests deeper than depth, with ErrTooDeep, or whose text could not be stored and
// returned everywhere, with ErrNUL or ErrSurrogate.
func Storable(value []byte, depth int) error {
	open, inString := 0, false
	for i := 0; i < len(value); i++ {
		switch char := value[i]; {
		case char == '"':
			inString = !inString
		case char == '\\':
			length, err := escape(value[i:])
			switch {
			case err == errNUL:
				return ErrNUL
			case err != nil:
				return ErrSurrogate
			}
			i += length - 1
		case inString:
		case char == '{' || char == '[':
			if open++; open > depth {
				return ErrTooDeep
			}
		case char == '}' || char == ']':
			open--
		}
	}
	return nil
}
