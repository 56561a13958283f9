import { invalid, type Imported, type Importer } from '@backlot/core/plugin';
import { exactly, exactlyAll, httpMock, literalPath } from '../shared/answer.js';
import { Ids } from '../shared/ids.js';
import { targetOf } from '../shared/target.js';
import type { Tree } from '@backlot/contracts';
import { WITH_VALUE } from './curl-options.js';
import { splitCommands } from './shell-words.js';

const MOST = 1000;
/** Headers that curl or the person behind it sends whatever is asked for. */
const USUAL = new Set([
  'user-agent',
  'accept-encoding',
  'content-length',
  'connection',
  'host',
  'cookie',
  'referer',
  'origin',
  'cache-control',
  'pragma',
  'accept-language',
]);
/** Command lines of curl: each becomes a mock that matches what it sends. */
export const curl: Importer = {
  format: 'curl',
  title: 'curl command lines',
  detect: ({ text }) =>
    /^\s*(?:\$\s+)?(?:printf %s [^]*\|\s*)?curl\s/.test(text.slice(0, 4096).replaceAll(/^\s*#.*\n/gm, ''))
      ? 'sure'
      : undefined,
  *convert({ text }, notes): Generator<undefined, Imported, undefined> {
    const ids = new Ids();
    const mocks: Tree[] = [];
    const commands = splitCommands(text, MOST);
    /** What the command before has printed for this one, as in `printf %s '{}' | curl --data-binary @-`. */
    let printed: string | undefined;
    for (const { words, line } of commands) {
      yield;
      if (words[0] === '$') words.shift();
      if (words[0] === 'printf' && words[1] === '%s' && words.length === 3) {
        printed = words[2];
        continue;
      }
      const given = printed;
      printed = undefined;
      if (words[0] !== 'curl') {
        if (words.length > 0) notes.refused(`line ${line}`, 'what is no command line of curl is left out');
        continue;
      }
      const request = readRequest(words.slice(1), given, (message) => notes.refused(`line ${line}`, message));
      if (request === undefined) {
        notes.refused(`line ${line}`, 'a command without a url that can be read is left out');
        continue;
      }
      notes.approximated(`line ${line}`, 'a command line has no answer; 200 and no body are answered');
      mocks.push(
        httpMock({ id: ids.take(request.name), request: request.request, response: { status: 200 } }),
      );
    }
    if (mocks.length === 0) throw invalid('there is no command line of curl in it');
    return { protocols: { http: { mocks } } };
  },
};

function readRequest(
  words: readonly string[],
  printed: string | undefined,
  refuse: (message: string) => void,
): { readonly request: Tree; readonly name: string } | undefined {
  let method: string | undefined;
  let url: string | undefined;
  let path: string | undefined;
  let isGet = false;
  let isJson = false;
  const headers: [string, string][] = [];
  let data: string | undefined;
  let isFile = false;
  const asked: string[] = [];
  const form: [string, string][] = [];
  let user: string | undefined;
  const all = words.flatMap(splitOption);
  for (let at = 0; at < all.length; at += 1) {
    const word = all[at] ?? '';
    const next = (): string => {
      at += 1;
      return all[at] ?? '';
    };
    if (word === '-X' || word === '--request') method = next().toUpperCase();
    else if (word === '-H' || word === '--header') {
      const [, name = '', value = ''] = /^([^:]{1,200}):\s*(.*)$/s.exec(next()) ?? [];
      if (name !== '' && !USUAL.has(name.toLowerCase())) headers.push([name, value.trim()]);
    } else if (/^(-d|--data(-raw|-ascii|-binary|-urlencode)?|--json)$/.test(word)) {
      isJson ||= word === '--json';
      const value = next();
      const isRaw = word === '--data-raw' || (value === '@-' && printed !== undefined);
      const given = value === '@-' && printed !== undefined ? printed : value;
      const piece = word === '--data-urlencode' ? encodePair(value) : given;
      isFile ||= piece === undefined || (!isRaw && word !== '--data-urlencode' && value.startsWith('@'));
      // Pieces of JSON follow one another as they are.
      data = data === undefined ? (piece ?? '') : `${data}${word === '--json' ? '' : '&'}${piece ?? ''}`;
    } else if (word === '--url-query') {
      const value = next();
      const pair = value.startsWith('+') ? value.slice(1) : encodePair(value);
      if (pair === undefined) refuse('a part of the query that is in a file is not compared');
      else asked.push(pair);
    } else if (word === '-F' || word === '--form' || word === '--form-string') {
      const [, name = '', value = ''] = /^([^=]{1,200})=(.*)$/s.exec(next()) ?? [];
      form.push([name, value]);
    } else if (word === '-G' || word === '--get') isGet = true;
    else if (word === '-I' || word === '--head') method ??= 'HEAD';
    else if (word === '-u' || word === '--user') user = next();
    else if (word === '--url') url = next();
    else if (word === '--request-target') {
      const given = next();
      if (given.startsWith('/')) path = given;
      else refuse(`a target that is no path, such as ${JSON.stringify(given.slice(0, 40))}, is not compared`);
    } else if (WITH_VALUE.has(word)) next();
    else if (!word.startsWith('-')) url ??= word;
  }
  const target =
    url === undefined ? undefined : targetOf(path ?? (/^[a-z]+:\/\/|^\//i.test(url) ? url : `http://${url}`));
  if (target === undefined) return undefined;
  if (isFile) refuse('a body that is a file is not compared');
  const body = isFile ? '' : (data ?? '');
  const query = [
    ...target.query,
    ...(isGet ? [...new URLSearchParams(body)] : []),
    ...new URLSearchParams(asked.join('&')),
  ];
  const usualMethod = (data !== undefined && !isGet) || form.length > 0 ? 'POST' : 'GET';
  const [username, password] = user === undefined ? [] : splitUser(user);
  const request: Tree = {
    method: method ?? usualMethod,
    ...literalPath(target.path),
    query: exactlyAll(query),
    headers: exactlyAll(headers.filter(([name]) => !/^(content-type|accept)$/i.test(name) || !isJson)),
    ...(isGet ? {} : bodyMatch(body)),
    ...(form.length === 0
      ? {}
      : {
          form: Object.fromEntries(
            form.filter(([, value]) => !/^[@<]/.test(value)).map(([name, value]) => [name, exactly(value)]),
          ),
        }),
    auth:
      username === undefined
        ? undefined
        : {
            type: 'basic',
            username: exactly(username),
            ...(password === undefined ? {} : { password: exactly(password) }),
          },
  };
  return { request, name: `${(method ?? usualMethod).toLowerCase()}${target.path}` };
}

/** A value as `--data-urlencode` and `--url-query` send it; nothing where it is in a file. */
function encodePair(value: string): string | undefined {
  const [, name = '', sign, content = ''] = /^([^=@]*)([=@])(.*)$/s.exec(value) ?? [];
  if (sign === '@') return undefined;
  if (sign === undefined) return encodeURIComponent(value);
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
}

function bodyMatch(body: string): Tree {
  if (body === '') return {};
  if (body.length > 10_000) return {};
  try {
    const value = JSON.parse(body) as unknown;
    if (typeof value === 'object' && value !== null) return { body: { json: { equals: value } } };
  } catch {
    // It is a form, or any text.
  }
  if (/^[^=&\s]+=[^=&]*(&[^=&\s]+=[^=&]*)*$/.test(body)) {
    const fields = [...new URLSearchParams(body)];
    if (fields.every(([name]) => !/[[\].]/.test(name))) return { form: exactlyAll(fields) };
  }
  return { body: { equals: body } };
}

function splitUser(user: string): readonly string[] {
  const colon = user.indexOf(':');
  return colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)];
}

/** Takes a long option from its value, and short options that stand together. */
function splitOption(word: string): readonly string[] {
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
  if (long !== null) return [long[1] ?? '', long[2] ?? ''];
  const short = /^-([XHdFuob])(.+)$/s.exec(word);
  if (short !== null) return [`-${short[1]}`, short[2] ?? ''];
  return /^-[a-zA-Z]{2,8}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}
