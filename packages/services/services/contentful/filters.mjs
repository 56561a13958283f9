import { invalidQuery } from './errors.mjs';

const PARAMETERS =
  'content_type select order limit skip include locale query links_to_entry links_to_asset access_token'.split(
    ' ',
  );
const OPERATORS = 'in nin ne exists match lt lte gt gte all'.split(' ');
const MAX_PAGE = 1000;

const isObject = (value) => typeof value === 'object' && value !== null;

/** What stands at a place such as `fields.author.sys.id`, as a list. */
function valuesOf(item, path) {
  let found = [item];
  for (const name of path)
    found = found
      .flatMap((one) => (Array.isArray(one) ? one : [one]))
      .flatMap((one) => (isObject(one) && Object.hasOwn(one, name) ? [one[name]] : []));
  return found.flat().filter((one) => one !== null && one !== undefined);
}

function textsOf(value, depth = 0) {
  if (typeof value === 'string') return [value];
  return isObject(value) && depth < 20 ? Object.values(value).flatMap((one) => textsOf(one, depth + 1)) : [];
}

const wordsIn = (text) =>
  [
    ...String(text)
      .toLowerCase()
      .matchAll(/[\p{L}\p{N}]+/gu),
  ].map(([word]) => word);

function hasWords(values, text) {
  const words = values.flatMap((value) => textsOf(value)).flatMap(wordsIn);
  return wordsIn(text).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

const compare = (value, wanted) => {
  const [a, b] = typeof value === 'number' ? [value, Number(wanted)] : [String(value), wanted];
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))
    return Date.parse(value) - Date.parse(wanted);
  return a < b ? -1 : a > b ? 1 : 0;
};

const TESTS = {
  '': (own, wanted) => wanted.split(',').length > 0 && own.some((one) => String(one) === wanted),
  ne: (own, wanted) => !own.some((one) => String(one) === wanted),
  in: (own, wanted) => own.some((one) => wanted.split(',').includes(String(one))),
  nin: (own, wanted) => !own.some((one) => wanted.split(',').includes(String(one))),
  all: (own, wanted) => wanted.split(',').every((each) => own.some((one) => String(one) === each)),
  exists: (own, wanted) => own.length > 0 === (wanted === 'true'),
  match: hasWords,
  lt: (own, wanted) => own.some((one) => compare(one, wanted) < 0),
  lte: (own, wanted) => own.some((one) => compare(one, wanted) <= 0),
  gt: (own, wanted) => own.some((one) => compare(one, wanted) > 0),
  gte: (own, wanted) => own.some((one) => compare(one, wanted) >= 0),
};

/** Reads the parameters of a list. @returns whether an item passes, when it is called with one as delivery shows it */
export function filterOf({ query, store }, type) {
  const tests = [];
  for (const [name, wanted] of Object.entries(query)) {
    if (PARAMETERS.includes(name)) continue;
    const [, place, operator = ''] = /^((?:fields|sys|metadata)\.[\w.-]+?)(?:\[(\w+)\])?$/.exec(name) ?? [];
    if (place === undefined || (operator !== '' && !OPERATORS.includes(operator)))
      throw invalidQuery(
        'unknown',
        `${name} is no parameter: it is one of ${PARAMETERS.join(', ')}, or a place in fields, sys or metadata with ${OPERATORS.join(', ')}`,
      );
    const path = place.split('.');
    checkField(path, query, store, type);
    tests.push((item) => TESTS[operator](valuesOf(item, path), String(wanted)));
  }
  const { content_type: contentType, query: text, links_to_entry: entry, links_to_asset: asset } = query;
  if (contentType !== undefined) {
    if (!store.has('ContentType', contentType)) throw invalidQuery('unknownContentType', { contentType });
    tests.push(({ sys }) => sys.contentType?.sys.id === contentType);
  }
  if (text !== undefined) tests.push(({ fields }) => hasWords([fields], text));
  for (const [linkType, id] of [
    ['Entry', entry],
    ['Asset', asset],
  ])
    if (id !== undefined)
      tests.push(({ fields }) =>
        linksIn(fields).some(({ sys }) => sys.linkType === linkType && sys.id === id),
      );
  return (item) => tests.every((test) => test(item));
}

/** A field is one of a content type, which has to be told. */
function checkField([root, name], { content_type: id }, store, type) {
  if (root !== 'fields' || type !== 'Entry') return;
  if (id === undefined)
    throw invalidQuery(
      'contentTypeRequired',
      'When querying for a specific field, a content_type is required.',
    );
  if (!store.has('ContentType', id)) throw invalidQuery('unknownContentType', { contentType: id });
  const fields = store.find('ContentType', id).fields ?? [];
  if (!fields.some((field) => field.id === name))
    throw invalidQuery(
      'unknown',
      `No field with id "${name}" found; the content type ${id} has ${fields.map((field) => field.id).join(', ')}.`,
    );
}

export function orderOf({ query, store }, type) {
  const ways = (query.order ?? '')
    .split(',')
    .filter((one) => one !== '')
    .map((one) => ({ path: one.replace(/^-/, '').split('.'), sign: one.startsWith('-') ? -1 : 1 }));
  for (const { path } of ways) checkField(path, query, store, type);
  const all = ways.length > 0 ? ways : [{ path: ['sys', 'updatedAt'], sign: -1 }];
  return (a, b) => {
    for (const { path, sign } of all) {
      const [[one], [other]] = [valuesOf(a, path), valuesOf(b, path)];
      if (one === other) continue;
      if (one === undefined) return 1;
      if (other === undefined) return -1;
      return (one < other ? -1 : 1) * sign;
    }
    return 0;
  };
}

export function pageOf({ query }) {
  const number = (name, usual, most) => {
    const value = Number(query[name] ?? usual);
    if (!Number.isInteger(value) || value < 0 || value > most)
      throw invalidQuery(name, `${name} must be a number from 0 to ${most}, and not ${query[name]}`);
    return value;
  };
  return { limit: number('limit', 100, MAX_PAGE), skip: number('skip', 0, 1e9) };
}

/** Leaves of an item what `select` names. */
export function selected(item, select) {
  if (select === undefined) return item;
  const places = select.split(',').map((one) => one.split('.'));
  const shown = {};
  for (const [root, value] of Object.entries(item)) {
    const own = places.filter(([one]) => one === root);
    if (own.some(({ length }) => length === 1)) shown[root] = value;
    else if (own.length > 0)
      shown[root] = Object.fromEntries(
        Object.entries(value).filter(([name]) => own.some((one) => one[1] === name)),
      );
  }
  // What links are resolved by is there always.
  return {
    ...shown,
    sys: shown.sys === undefined ? item.sys : { id: item.sys.id, type: item.sys.type, ...shown.sys },
  };
}

/** All links within fields. */
export function linksIn(value, depth = 0) {
  if (!isObject(value) || depth > 30) return [];
  if (value.sys?.type === 'Link') return [value];
  return Object.values(value).flatMap((one) => linksIn(one, depth + 1));
}
