import { invalid } from './errors.mjs';

const MAX_DEPTH = 20;

/**
 * The part of an answer that `fields` selects, such as `items(name,metadata/owner),nextPageToken`; `*` is every member.
 *
 * @throws StorageError for a selection that cannot be read
 */
export function selectFields(json, text) {
  const tree = parse(text);
  return tree === undefined ? json : take(json, tree);
}

/** The names of a selection, each with what is selected of it; `undefined` for all of it. */
function parse(text) {
  let at = 0;
  const refuse = () => invalid(`Invalid field selection ${text}: such as items(name,size),nextPageToken.`);

  function list(depth) {
    if (depth > MAX_DEPTH) throw refuse();
    const tree = new Map();
    for (;;) {
      const [name] = /^(?:\*|[A-Za-z][\w-]*)/.exec(text.slice(at)) ?? [];
      if (name === undefined) throw refuse();
      at += name.length;
      const inner = rest(depth);
      const before = tree.get(name);
      // Of what is named twice everything is given that either names.
      if (!tree.has(name)) tree.set(name, inner);
      else if (before !== undefined)
        tree.set(name, inner === undefined ? undefined : new Map([...before, ...inner]));
      if (text[at] !== ',') return tree;
      at += 1;
    }
  }

  function rest(depth) {
    if (text[at] === '/') {
      at += 1;
      const [name] = /^(?:\*|[A-Za-z][\w-]*)/.exec(text.slice(at)) ?? [];
      if (name === undefined || depth > MAX_DEPTH) throw refuse();
      at += name.length;
      return new Map([[name, rest(depth + 1)]]);
    }
    if (text[at] !== '(') return undefined;
    at += 1;
    const inner = list(depth + 1);
    if (text[at] !== ')') throw refuse();
    at += 1;
    return inner;
  }

  const tree = list(0);
  if (at < text.length) throw refuse();
  return tree;
}

function take(value, tree) {
  if (tree === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => take(one, tree));
  const taken = Object.entries(value).filter(([name]) => tree.has(name) || tree.has('*'));
  return Object.fromEntries(
    taken.map(([name, one]) => [name, take(one, tree.has(name) ? tree.get(name) : tree.get('*'))]),
  );
}
