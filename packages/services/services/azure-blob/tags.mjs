import { listOf } from '../../aws/xml.mjs';
import { BlobError, invalidHeader, invalidQuery, invalidXml } from './errors.mjs';

const MOST = 10;

function check(tags) {
  const names = Object.keys(tags);
  if (
    names.length > MOST ||
    names.some((name) => name === '' || name.length > 128 || tags[name].length > 256)
  )
    throw new BlobError(
      400,
      'InvalidTag',
      `A blob has at most ${MOST} tags, with names of 1 to 128 and values of at most 256 characters.`,
    );
  return tags;
}

export function tagsOfHeader(text) {
  if (text === undefined || text === '') return {};
  const tags = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(tags, name)) throw invalidHeader('x-ms-tags', text);
    tags[name] = value;
  }
  return check(tags);
}

export function parseTags({ xml }) {
  const set = xml?.Tags?.TagSet;
  if (set === undefined) throw invalidXml();
  const tags = {};
  for (const { Key, Value = '' } of listOf(set === '' ? undefined : set.Tag)) {
    if (typeof Key !== 'string' || typeof Value !== 'string') throw invalidXml();
    tags[Key] = Value;
  }
  return check(tags);
}

export const tagSet = (tags) => ({
  TagSet: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
});

const PART = /^\s*(?:"((?:[^"]|"")+)"|(@?\w+))\s*(=|>=|<=|>|<)\s*'((?:[^']|'')*)'\s*(?:AND\b|$)/i;
const SIGNS = {
  '=': (a, b) => a === b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};

/** Reads a search for tags, such as `"team" = 'tea' AND @container = 'docs'`. */
export function parseWhere(text) {
  const tests = [];
  let rest = text ?? '';
  do {
    const found = PART.exec(rest);
    if (found === null)
      throw invalidQuery('where', text, 'There was an error parsing the query in the where parameter.');
    const [whole, quoted, plain, sign, value] = found;
    const name = quoted ?? plain;
    tests.push(({ container, tags }) => {
      const own = name === '@container' ? container : tags[name];
      return own !== undefined && SIGNS[sign](own, value.replaceAll("''", "'"));
    });
    rest = rest.slice(whole.length);
  } while (rest.trim() !== '');
  return (blob) => tests.every((test) => test(blob));
}
