// JSON as it came: laid out in lines, every number with the digits the service wrote.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** layOut puts each member of a JSON text on a line of its own. */
export function layOut(text) {
  const tokens = text.match(TOKEN) ?? [];
  const out = [];
  let depth = 0;
  const line = () => '\n' + '  '.repeat(depth);
  tokens.forEach((token, i) => {
    if (opens(token)) {
      out.push(token);
      if (!closes(tokens[i + 1])) {
        depth++;
        out.push(line());
      }
    } else if (closes(token)) {
      if (!opens(tokens[i - 1])) {
        depth--;
        out.push(line());
      }
      out.push(token);
    } else if (token === ',') out.push(token, line());
    else if (token === ':') out.push(': ');
    else out.push(token);
  });
  return out.join('');
}

const opens = (token) => token === '{' || token === '[';
const closes = (token) => token === '}' || token === ']';
