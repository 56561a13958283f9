const VIA = /^SIP\s*\/\s*2\.0\s*\/\s*[^\s/]+\s+([^;,\s]+)\s*(;.*)?$/i;
const COOKIE = 'z9hG4bK';

/** The topmost Via of a request. */
export interface Via {
  /** Where its sender says that it is: `host` or `host:port`. */
  readonly sentBy: string;
  /** Empty when there is none that may be relied on (RFC 3261 section 8.1.1.7). */
  readonly branch: string;
  /** As it is answered: with `received` and `rport`. */
  readonly answered: string;
}

/**
 * Reads a Via and says in it where the request came from (RFC 3261 section 18.2.1, RFC 3581 section 4). Claims of the
 * client about that are left out.
 *
 * @returns `undefined` for what is no Via
 */
export function readVia(value: string, address: string, port: number): Via | undefined {
  const parts = VIA.exec(value);
  const sentBy = parts?.[1];
  if (sentBy === undefined) return undefined;
  const parameters = parts?.[2] ?? '';
  let answered = value.slice(0, value.length - parameters.length).trimEnd();
  let branch = '';
  let wantsPort = false;
  for (let at = 0; at < parameters.length;) {
    const next = parameters.indexOf(';', at + 1);
    const end = next < 0 ? parameters.length : next;
    const text = parameters.slice(at + 1, end).trim();
    at = end;
    const equals = text.indexOf('=');
    const name = (equals < 0 ? text : text.slice(0, equals)).trimEnd().toLowerCase();
    if (name === 'rport') wantsPort = true;
    else if (name !== '' && name !== 'received') answered += `;${text}`;
    if (name === 'branch') branch = text.slice(equals + 1).trimStart();
  }
  if (wantsPort) answered += `;received=${address};rport=${port}`;
  else if (hostOf(sentBy) !== address) answered += `;received=${address}`;
  return { sentBy, branch: branch.startsWith(COOKIE) ? branch : '', answered };
}

function hostOf(sentBy: string): string {
  if (sentBy.startsWith('[')) return sentBy.slice(1, Math.max(sentBy.indexOf(']'), 1));
  const colon = sentBy.indexOf(':');
  return colon < 0 ? sentBy : sentBy.slice(0, colon);
}
