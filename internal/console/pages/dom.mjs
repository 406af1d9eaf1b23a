// Building the page from nodes. Nothing here turns text into markup: text becomes text nodes, whatever is in it.

/**
 * el makes an element. Attributes that are null or false are left out, true ones are set without a value, and those that begin with
 * "on" are listeners. Children are nodes or texts; null ones are left out.
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** show replaces what a node holds. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** say tells people who hear the page what happened. */
export function say(text) {
  document.getElementById('status').textContent = text;
}
