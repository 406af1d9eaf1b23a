package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones must be known on machines without a zone database
)

const maxInt = math.MaxInt32

// codec reads a setting from text and prints it in the one form that set takes back unchanged. The error of set is the
// end of a sentence that begins with the text: "is not …".
type codec struct {
	set   func(s *Settings, text string) error
	print func(s *Settings) string
}

func integer(field func(*Settings) *int, low, high int) codec {
	return codec{
		set: func(s *Settings, text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < low || n > high {
				return fmt.Errorf("is not a whole number from %d to %d", low, high)
			}
			*field(s) = n
			return nil
		},
		print: func(s *Settings) string { return strconv.Itoa(*field(s)) },
	}
}

func flag(field func(*Settings) *bool) codec {
	return codec{
		set: func(s *Settings, text string) error {
			switch strings.ToLower(text) {
			case "true":
				*field(s) = true
			case "false":
				*field(s) = false
			default:
				return errors.New("is not true or false")
			}
			return nil
		},
		print: func(s *Settings) string { return strconv.FormatBool(*field(s)) },
	}
}

func text(field func(*Settings) *string) codec {
	return codec{
		set:   func(s *Settings, text string) error { *field(s) = text; return nil },
		print: func(s *Settings) string { return *field(s) },
	}
}

func duration(field func(*Settings) *time.Duration, low time.Duration) codec {
	return codec{
		set: func(s *Settings, text string) error {
			d, err := time.ParseDuration(text)
			if text == "0" {
				d, err = 0, nil
			}
			if err != nil || d < low {
				return fmt.Errorf("is not a duration of at least %s, like 90s, 10m or 720h", low)
			}
			*field(s) = d
			return nil
		},
		print: func(s *Settings) string { return field(s).String() },
	}
}

func choice[T ~string](field func(*Settings) *T, allowed ...T) codec {
	return codec{
		set: func(s *Settings, text string) error {
			if !slices.Contains(allowed, T(text)) {
				return fmt.Errorf("is not one of %s", join(allowed))
			}
			*field(s) = T(text)
			return nil
		},
		print: func(s *Settings) string { return string(*field(s)) },
	}
}

func choices[T ~string](field func(*Settings) *[]T, allowed ...T) codec {
	return codec{
		set: func(s *Settings, text string) error {
			var list []T
			for _, word := range split(text) {
				if !slices.Contains(allowed, T(word)) {
					return fmt.Errorf("holds %q, which is not one of %s", word, join(allowed))
				}
				list = append(list, T(word))
			}
			*field(s) = list
			return nil
		},
		print: func(s *Settings) string { return strings.ReplaceAll(join(*field(s)), ", ", ",") },
	}
}

func integers(field func(*Settings) *[]int64) codec {
	return codec{
		set: func(s *Settings, text string) error {
			var list []int64
			for _, word := range split(text) {
				n, err := strconv.ParseInt(word, 10, 32)
				if err != nil {
					return errors.New("is not a list of whole numbers with commas between them")
				}
				list = append(list, n)
			}
			*field(s) = list
			return nil
		},
		print: func(s *Settings) string {
			out := make([]string, len(*field(s)))
			for i, n := range *field(s) {
				out[i] = strconv.FormatInt(n, 10)
			}
			return strings.Join(out, ",")
		},
	}
}

// words is a list of words compared trimmed and in lower case, so it is kept so.
func words(field func(*Settings) *[]string) codec {
	return codec{
		set: func(s *Settings, text string) error {
			*field(s) = split(strings.ToLower(text))
			return nil
		},
		print: func(s *Settings) string { return strings.Join(*field(s), ",") },
	}
}

var zone = codec{
	set: func(s *Settings, text string) error {
		loc, err := time.LoadLocation(text)
		if err != nil || text == "" || text == "Local" {
			return errors.New("is not a time zone like UTC or America/New_York")
		}
		s.Timezone = loc
		return nil
	},
	print: func(s *Settings) string { return s.Timezone.String() },
}

var currency = codec{
	set: func(s *Settings, text string) error {
		if len(text) != 3 || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return errors.New("is not an ISO currency code like USD")
		}
		s.BaseCurrency = text
		return nil
	},
	print: func(s *Settings) string { return s.BaseCurrency },
}

var issuers = codec{
	set: func(s *Settings, text string) error {
		if text == "" {
			text = "[]"
		}
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		var list []Issuer
		if err := dec.Decode(&list); err != nil || dec.More() {
			return errors.New(`is not a JSON list of {"issuer", "audience", "jwks_uri"}`)
		}
		for _, is := range list {
			if err := is.check(); err != nil {
				return err
			}
		}
		s.Issuers = list
		return nil
	},
	print: func(s *Settings) string {
		if len(s.Issuers) == 0 {
			return "[]"
		}
		out, err := json.Marshal(s.Issuers)
		if err != nil {
			panic(err) // plain strings always marshal
		}
		return string(out)
	},
}

func (is Issuer) check() error {
	switch {
	case is.Audience == "":
		return errors.New("has an issuer without audience")
	case !isAddress(is.Issuer):
		return fmt.Errorf("has %q where an http address is wanted", is.Issuer)
	case is.JWKSURI != "" && !isAddress(is.JWKSURI):
		return fmt.Errorf("has %q where an http address is wanted", is.JWKSURI)
	default:
		return nil
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// split cuts a list at its commas; blanks around words and empty words fall away.
func split(text string) []string {
	var out []string
	for _, word := range strings.Split(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

func join[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}
