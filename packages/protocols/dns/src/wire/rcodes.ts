/** Response codes by number (IANA "DNS RCODEs"); those up to 15 fit the header. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'NOERROR'],
  [1, 'FORMERR'],
  [2, 'SERVFAIL'],
  [3, 'NXDOMAIN'],
  [4, 'NOTIMP'],
  [5, 'REFUSED'],
  [6, 'YXDOMAIN'],
  [7, 'YXRRSET'],
  [8, 'NXRRSET'],
  [9, 'NOTAUTH'],
  [10, 'NOTZONE'],
  [16, 'BADVERS'],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map([...NAMES].map(([number, name]) => [name, number]));

/** The response codes that the server itself sends. */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

/** The name of a response code, or its number as text when it has none. */
export function nameOfRcode(rcode: number): string {
  return NAMES.get(rcode) ?? `RCODE${rcode}`;
}

/**
 * The number of a response code that a mock or a fault names, 0 to 15, since greater ones need EDNS at the client.
 *
 * @throws Error when there is no such code
 */
export function parseRcode(code: string | number): number {
  const text = String(code).trim().toUpperCase();
  const number = NUMBERS.get(text) ?? (/^\d+$/.test(text) ? Number(text) : Number.NaN);
  if (number >= 0 && number <= 15) return number;
  const names = [...NAMES.values()].slice(0, -1).join(', ');
  throw new Error(`rcode "${code}" is not known; use one of ${names}, or a number from 0 to 15`);
}
