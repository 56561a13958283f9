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

const KNOWN: ReadonlySet<string> = new Set(METHODS);

/** The value of Allow. */
export const ALLOW = METHODS.join(', ');

/** Whether a method is one that is served without a mock that names it. */
export function isKnownMethod(method: string): boolean {
  return KNOWN.has(method);
}
