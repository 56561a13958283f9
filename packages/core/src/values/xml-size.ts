/** How deep the elements of a document may be nested. */
const MAX_DEPTH = 200;
/** Elements, attributes, comments and the like of one document: near 30 ms of parsing. */
const MAX_NODES = 5_000;
/** References to characters that take as long as an element. */
const REFERENCES = 16;

/** What may stand in a document and holds no elements, with how each begins and ends. */
const OPAQUE = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/**
 * Looks how large a document is, at a small part of what parsing costs.
 *
 * @returns the text to parse, without a document type declaration, how many nodes it has, and why it is not to be parsed
 */
export function measureXml(source: string): {
  readonly text: string;
  readonly nodes: number;
  readonly problem: string | undefined;
} {
  let text = source.startsWith('\ufeff') ? source.slice(1) : source;
  let depth = 0;
  let nodes = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) nodes += 1 / REFERENCES;
  let isDeclared = false;
  for (let at = text.indexOf('<'); at >= 0;) {
    const after = text.charAt(at + 1);
    let end: number;
    if (after === '!' || after === '?') {
      const opaque = OPAQUE.find(([start]) => text.startsWith(start, at));
      if (opaque === undefined) {
        const close = text.indexOf('>', at) + 1;
        const declaration = text.slice(at, close === 0 ? text.length : close);
        if (declaration.includes('['))
          return {
            text,
            nodes,
            problem: 'has a document type declaration with entities of its own, which are not taken',
          };
        if (isDeclared || !declaration.startsWith('<!DOCTYPE'))
          return { text, nodes, problem: `is no XML: ${declaration.slice(0, 20)} has no meaning there` };
        isDeclared = true;
        text = text.slice(0, at) + text.slice(at + declaration.length);
        end = at;
      } else {
        const close = text.indexOf(opaque[1], at + opaque[0].length);
        end = close < 0 ? text.length : close + opaque[1].length;
      }
      nodes += 1;
    } else {
      const tag = readTag(text, at);
      ({ end } = tag);
      if (after === '/') depth -= 1;
      else {
        nodes += 1 + tag.attributes;
        if (!tag.isEmpty) depth += 1;
      }
      if (depth > MAX_DEPTH)
        return {
          text,
          nodes,
          problem: `has elements nested deeper than ${MAX_DEPTH} levels, which are not taken`,
        };
    }
    if (nodes > MAX_NODES)
      return {
        text,
        nodes,
        problem: `has more than ${MAX_NODES} elements and attributes, which are not taken`,
      };
    at = text.indexOf('<', end);
  }
  return { text, nodes, problem: undefined };
}

/** Goes to the end of a tag, over the values of its attributes, in which `>` may stand. */
function readTag(text: string, start: number): { end: number; attributes: number; isEmpty: boolean } {
  let attributes = 0;
  TAG_PART.lastIndex = start + 1;
  for (let found = TAG_PART.exec(text); found !== null; found = TAG_PART.exec(text)) {
    const [part] = found;
    if (part === '>') {
      const isEmpty = text.charAt(found.index - 1) === '/';
      return { end: found.index + 1, attributes, isEmpty };
    }
    if (part === '<') return { end: found.index, attributes, isEmpty: false };
    const close = text.indexOf(part, found.index + 1);
    if (close < 0) break;
    attributes += 1;
    TAG_PART.lastIndex = close + 1;
  }
  return { end: text.length, attributes, isEmpty: false };
}

const TAG_PART = /[<>"']/g;
