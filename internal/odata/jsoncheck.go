package odata

// checker walks a JSON text once and refuses whatever is not strict JSON.
type checker struct{ data []byte }

func (c *checker) blanks(i int) int { return skipBlanks(c.data, i) }

func (c *checker) at(i int) byte {
	if i < len(c.data) {
		return c.data[i]
	}
	return 0
}

func (c *checker) malformed(i int) error {
	if len(c.data) == 0 || c.blanks(0) == len(c.data) {
		return badPayload("An error occurred while validating input parameters: the request has no JSON body.")
	}
	return badPayload("An error occurred while validating input parameters: the body is not valid JSON at byte %d.", i)
}

// value checks the value at i and returns its end.
func (c *checker) value(i, depth int) (int, error) {
	if depth > maxJSONDepth {
		return i, badPayload("An error occurred while validating input parameters: the body nests deeper than %d levels.", maxJSONDepth)
	}
	switch b := c.at(i); {
	case b == '{':
		return c.object(i, depth)
	case b == '[':
		return c.array(i, depth)
	case b == '"':
		return c.text(i)
	case b == '-' || b >= '0' && b <= '9':
		return c.number(i)
	default:
		for _, word := range []string{"true", "false", "null"} {
			if end := i + len(word); end <= len(c.data) && string(c.data[i:end]) == word {
				return end, nil
			}
		}
		return i, c.malformed(i)
	}
}

func (c *checker) text(i int) (int, error) {
	end, ok := scanString(c.data, i)
	if ok {
		_, ok = unquoteJSON(c.data[i:end])
	}
	if !ok {
		return i, c.malformed(i)
	}
	return end, nil
}

func (c *checker) object(i, depth int) (int, error) {
	var seen names
	for i = c.blanks(i + 1); ; i = c.blanks(i + 1) {
		if c.at(i) == '}' && len(seen.list) == 0 {
			return i + 1, nil
		}
		if c.at(i) != '"' {
			return i, c.malformed(i)
		}
		end, err := c.text(i)
		if err != nil {
			return i, err
		}
		name, _ := unquoteJSON(c.data[i:end])
		if !seen.add(name) {
			return i, badPayload("An error occurred while validating input parameters: the property '%s' is given twice.", name)
		}
		if i = c.blanks(end); c.at(i) != ':' {
			return i, c.malformed(i)
		}
		if i, err = c.value(c.blanks(i+1), depth+1); err != nil {
			return i, err
		}
		i = c.blanks(i)
		if c.at(i) == '}' {
			return i + 1, nil
		}
		if c.at(i) != ',' {
			return i, c.malformed(i)
		}
	}
}

func (c *checker) array(i, depth int) (int, error) {
	i = c.blanks(i + 1)
	if c.at(i) == ']' {
		return i + 1, nil
	}
	for {
		end, err := c.value(i, depth+1)
		if err != nil {
			return i, err
		}
		i = c.blanks(end)
		if c.at(i) == ']' {
			return i + 1, nil
		}
		if c.at(i) != ',' {
			return i, c.malformed(i)
		}
		i = c.blanks(i + 1)
	}
}

// number checks -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?.
func (c *checker) number(i int) (int, error) {
	start := i
	if c.at(i) == '-' {
		i++
	}
	whole := c.digits(i)
	if whole == 0 || whole > 1 && c.at(i) == '0' {
		return i, c.malformed(start)
	}
	i += whole
	if c.at(i) == '.' {
		n := c.digits(i + 1)
		if n == 0 {
			return i, c.malformed(start)
		}
		i += 1 + n
	}
	if b := c.at(i); b == 'e' || b == 'E' {
		i++
		if b := c.at(i); b == '+' || b == '-' {
			i++
		}
		n := c.digits(i)
		if n == 0 {
			return i, c.malformed(start)
		}
		i += n
	}
	return i, nil
}

func (c *checker) digits(i int) int {
	n := 0
	for b := c.at(i); b >= '0' && b <= '9'; b = c.at(i + n) {
		n++
	}
	return n
}

// names is the set of member names of one object: a short list, and a map once it grows.
type names struct {
	list []string
	set  map[string]bool
}

// add puts in a name; false when it is there already.
func (n *names) add(name string) bool {
	if n.set != nil {
		if n.set[name] {
			return false
		}
		n.set[name] = true
		n.list = append(n.list[:0], name)
		return true
	}
	for _, other := range n.list {
		if other == name {
			return false
		}
	}
	n.list = append(n.list, name)
	if len(n.list) > 32 {
		n.set = make(map[string]bool, len(n.list)*2)
		for _, other := range n.list {
			n.set[other] = true
		}
	}
	return true
}
