/** The methods of RFC 3261 and its extensions. */
const METHODS = [
  'INVITE',
  'ACK',
  'CANCEL',
  'BYE',
  'OPTIONS',
  'REGISTER',
  'INFO',
  'MESSAGE',
  'NOTIFY',
  'PRACK',
  'PUBLISH',
  'REFER',
  'SUBSCRIBE',
  'UPDATE',
] as const;

const KNOWN: ReadonlyMap<string, string> = new Map(METHODS.map((method) => [method, method]));

/** The value of Allow. */
export const ALLOW = METHODS.join(', ');

/** Whether a method is one that is served without a mock that names it. */
export function isKnownMethod(method: string): boolean {
  return KNOWN.has(method);
}

/** The same text, but one object for all requests of a method: the journal keeps it with each. */
export function shareMethod(method: string): string {
  return KNOWN.get(method) ?? method;
}
