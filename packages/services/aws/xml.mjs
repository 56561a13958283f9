const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as XML 1.0 takes it: what it has no character for is its number, as the services write it. */
export function escapeXml(text) {
  return String(text)
    .replaceAll(/["&<>]/g, (one) => ESCAPES[one])
    .replaceAll(/[^\t\n\u0020-\uFFFF]/g, (one) => `&#x${one.codePointAt(0).toString(16)};`);
}

/** Elements by name: a list gives one for each value, an object has elements in it, and what is `undefined` is left out. */
export function elements(values) {
  return Object.entries(values)
    .map(([name, value]) =>
      Array.isArray(value) ? value.map((one) => element(name, one)).join('') : element(name, value),
    )
    .join('');
}

function element(name, value) {
  if (value === undefined) return '';
  if (value === null || value === '') return `<${name}/>`;
  const inner = typeof value === 'object' ? elements(value) : escapeXml(value);
  return `<${name}>${inner}</${name}>`;
}

/** A whole document. */
export function xmlDocument(root, values, namespace) {
  const mark = namespace === undefined ? '' : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${mark}>${elements(values)}</${root}>`;
}

/** The values of an element that may come once, more than once, or not at all, as `request.xml` has them. */
export function listOf(value) {
  if (value === undefined || value === '') return [];
  return Array.isArray(value) ? value : [value];
}
