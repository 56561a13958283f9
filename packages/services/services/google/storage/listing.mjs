import { invalid, notMocked } from './errors.mjs';
import { resourceOf, viewOf } from './store.mjs';

const MOST = 1000;
const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** One page of what is named. @returns with the token of the next page, when there is one */
export function pageOf(entries, { maxResults: text, pageToken: token }) {
  if (text !== undefined && !/^[1-9]\d*$/.test(text))
    throw invalid(`Invalid value for maxResults: ${text}. A number from 1 would be right.`);
  const most = Math.min(Number(text ?? MOST), MOST);
  const after = token === undefined ? undefined : Buffer.from(token, 'base64url').toString();
  if (after !== undefined && !after.startsWith('n:')) throw invalid(`Invalid page token: ${token}.`);
  const rest = entries
    .filter(({ name }) => after === undefined || compare(name, after.slice(2)) > 0)
    .sort((a, b) => compare(a.name, b.name));
  const page = rest.slice(0, most);
  return {
    page,
    next: rest.length > most ? Buffer.from(`n:${page.at(-1).name}`).toString('base64url') : undefined,
  };
}

/** The names of a list: those of objects, and what they begin with up to the delimiter. */
export async function listObjects({ bucket, query, store, base }) {
  store.bucket(bucket);
  for (const name of ['matchGlob', 'softDeleted', 'filter'])
    if (query[name] !== undefined && query[name] !== 'false')
      throw notMocked(`The parameter ${name} of lists`);
  const { prefix = '', delimiter = '', startOffset = '', endOffset = '' } = query;
  const withFolders = query.includeTrailingDelimiter === 'true';
  const entries = new Map();
  for (const row of store.objects.values()) {
    if (!row.id.startsWith(`${bucket}/`)) continue;
    const name = row.id.slice(bucket.length + 1);
    if (!name.startsWith(prefix)) continue;
    if (startOffset !== '' && compare(name, startOffset) < 0) continue;
    if (endOffset !== '' && compare(name, endOffset) >= 0) continue;
    const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (at === -1) entries.set(`o:${name}`, { name, row });
    else {
      const folder = name.slice(0, at + delimiter.length);
      entries.set(`p:${folder}`, { name: folder, isPrefix: true });
      if (withFolders && name === folder) entries.set(`o:${name}`, { name, row });
    }
  }
  const { page, next } = pageOf([...entries.values()], query);
  const items = [];
  for (const { row } of page) if (row !== undefined) items.push(await resourceOf(viewOf(row), base));
  return {
    json: {
      kind: 'storage#objects',
      ...(next !== undefined && { nextPageToken: next }),
      prefixes: page.filter(({ isPrefix }) => isPrefix).map(({ name }) => name),
      items,
    },
  };
}
