import { wordsOf } from './words.mjs';

function marked(text, words, [before, after]) {
  const places = wordsOf(text).filter(({ word }) => words.has(word));
  let out = '';
  let at = 0;
  for (const { start, end } of places) {
    out += `${text.slice(at, start)}${before}${text.slice(start, end)}${after}`;
    at = end;
  }
  return {
    value: out + text.slice(at),
    matched: [...new Set(places.map(({ word }) => word))],
    count: places.length,
  };
}

const tagsOf = (params) => [params.highlightPreTag ?? '<em>', params.highlightPostTag ?? '</em>'];
const MAX_DEPTH = 20;

/** Every text of an object with the words of the query marked, as `_highlightResult`. */
export function highlight(object, found, words, params) {
  const wanted = params.attributesToHighlight ??
    params.searchableAttributes?.flatMap((line) => line.split(',')) ?? ['*'];
  const names = wanted.map((name) => (/\((.+)\)/.exec(name)?.[1] ?? name).trim());
  const one = (value, depth) => {
    if (Array.isArray(value))
      return value.map((each) => one(each, depth + 1)).filter((each) => each !== undefined);
    if (typeof value === 'object' && value !== null)
      return depth > MAX_DEPTH
        ? undefined
        : Object.fromEntries(
            Object.entries(value)
              .map(([name, each]) => [name, one(each, depth + 1)])
              .filter(([, each]) => each !== undefined),
          );
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    const { value: text, matched, count } = marked(String(value), found.words, tagsOf(params));
    const level = matched.length === 0 ? 'none' : matched.length >= words.length ? 'full' : 'partial';
    return {
      value: text,
      matchLevel: level,
      ...(level !== 'none' && { fullyHighlighted: count === wordsOf(value).length }),
      matchedWords: matched,
    };
  };
  const all = Object.entries(object).filter(
    ([name]) =>
      name !== 'objectID' && (names.includes('*') || names.some((each) => each.split('.')[0] === name)),
  );
  const shown = all.map(([name, value]) => [name, one(value, 0)]).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? {} : { _highlightResult: Object.fromEntries(shown) };
}

/** A piece of each text around the first word that is met, as `_snippetResult`. */
export function snippets(object, found, params) {
  const wanted = params.attributesToSnippet ?? [];
  const shown = {};
  for (const line of wanted) {
    const [name, size = '10'] = line.split(':');
    const text = object[name];
    if (typeof text !== 'string') continue;
    const words = wordsOf(text);
    const count = Math.max(1, Number.parseInt(size, 10) || 10);
    const first = Math.max(
      0,
      words.findIndex(({ word }) => found.words.has(word)),
    );
    const start = Math.max(0, Math.min(first - Math.floor(count / 2), words.length - count));
    const piece = words.slice(start, start + count);
    const cut = piece.length === 0 ? '' : text.slice(piece[0].start, piece.at(-1).end);
    const { value, matched } = marked(cut, found.words, tagsOf(params));
    const dots = params.snippetEllipsisText ?? '…';
    shown[name] = {
      value: `${start > 0 ? dots : ''}${value}${start + count < words.length ? dots : ''}`,
      matchLevel: matched.length > 0 ? 'full' : 'none',
    };
  }
  return Object.keys(shown).length === 0 ? {} : { _snippetResult: shown };
}
