import type { CommandDeclaration } from '@backlot/core/plugin';
import { curlLine } from '@backlot/kit/http';
import { HttpMessage } from './message.js';

/** Sends a request again, with its headers. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  example: { method: 'GET', path: '/' },
  write(message, place) {
    const { method, path, query = {}, headers, body } = message;
    const target = message instanceof HttpMessage ? message.target : path + queryText(query);
    if (!target.startsWith('/')) return undefined;
    return curlLine({ method, url: place.url + target, headers, body }, place);
  },
};

/** Of a message with a large body only the decoded query is left. */
function queryText(query: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
