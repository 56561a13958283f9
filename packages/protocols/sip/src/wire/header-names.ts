import { isHeaderName } from '@backlot/kit/http';

// RFC 3261 section 7.3.3, and the registry.
const COMPACT: ReadonlyMap<string, string> = new Map([
  ['a', 'accept-contact'],
  ['b', 'referred-by'],
  ['c', 'content-type'],
  ['e', 'content-encoding'],
  ['f', 'from'],
  ['i', 'call-id'],
  ['j', 'reject-contact'],
  ['k', 'supported'],
  ['l', 'content-length'],
  ['m', 'contact'],
  ['n', 'identity-info'],
  ['o', 'event'],
  ['r', 'refer-to'],
  ['s', 'subject'],
  ['t', 'to'],
  ['u', 'allow-events'],
  ['v', 'via'],
  ['x', 'session-expires'],
  ['y', 'identity'],
]);

// As clients write them, so that most names are found without being changed to lower case.
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...[
    'Via',
    'From',
    'To',
    'Call-ID',
    'CSeq',
    'Contact',
    'Max-Forwards',
    'Content-Length',
    'Content-Type',
    'User-Agent',
    'Subject',
    'Expires',
    'Accept',
    'Allow',
    'Supported',
    'Route',
    'Record-Route',
    'Require',
  ].map((name): [string, string] => [name, name.toLowerCase()]),
  ...COMPACT,
  ...[...COMPACT].map(([letter, name]): [string, string] => [letter.toUpperCase(), name]),
]);

/** The whole name of a header in lower case, of a compact one too; `undefined` for what is no name. */
export function readHeaderName(name: string): string | undefined {
  return KNOWN.get(name) ?? (isHeaderName(name) ? name.toLowerCase() : undefined);
}

/** The whole name of a header in lower case, of a compact one too. */
export function headerNameOf(name: string): string {
  return KNOWN.get(name) ?? name.toLowerCase();
}
