/** What stands in a recording where a secret stood. */
export const REDACTED = 'REDACTED';

/** A rule by which secrets are found by their shape. */
export interface SecretShape {
  readonly rule: string;
  readonly pattern: RegExp;
}

/** Words of a name that make its value a secret: `x-auth-token` and `authToken` both have `token`. */
export const SECRET_WORDS: readonly string[] = [
  'authorization',
  'bearer',
  'cookie',
  'credential',
  'credentials',
  'jwt',
  'otp',
  'passphrase',
  'passwd',
  'password',
  'pwd',
  'secret',
  'signature',
  'token',
];

/** Ends of a name, without what stands between its words, that make its value a secret. */
export const SECRET_ENDS: readonly string[] = ['apikey', 'accesskey', 'privatekey', 'secretkey', 'sessionid'];

/** Words beside which a token is a place in a list, and no secret. */
export const HARMLESS_WORDS: readonly string[] = ['continuation', 'cursor', 'next', 'page', 'sync'];

/** Secrets that are known by their shape wherever they stand. Each is found in a time that grows with the text alone. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  { rule: 'JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  {
    rule: 'private key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]|-(?!----))*-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  { rule: 'credentials of HTTP', pattern: /\b(?:Bearer|Basic) [\w.~+/=-]{8,}/g },
  { rule: 'key of AWS', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { rule: 'token of GitHub', pattern: /\bgh[pousr]_\w{36,}/g },
  { rule: 'token of Slack', pattern: /\bxox[abeprs]-[\w-]{10,}/g },
  { rule: 'key of Stripe', pattern: /\b[rs]k_(?:live|test)_\w{16,}/g },
  { rule: 'key of Google', pattern: /\bAIza[\w-]{35}/g },
];

const DEEPEST = 200;
const words: ReadonlySet<string> = new Set(SECRET_WORDS);
const harmless: ReadonlySet<string> = new Set(HARMLESS_WORDS);

/** Whether what has this name is a secret, whatever it is. */
export function isSecretName(name: string): boolean {
  if (name.length > 200) return false;
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (parts.some((part) => harmless.has(part))) return false;
  const joined = parts.join('');
  return parts.some((part) => words.has(part)) || SECRET_ENDS.some((end) => joined.endsWith(end));
}

/** The text without secrets that have a known shape. */
export function redactText(text: string): string {
  let redacted = text;
  for (const { pattern } of SECRET_SHAPES) redacted = redacted.replaceAll(pattern, REDACTED);
  return redacted;
}

/** A value of JSON without secrets: values of secret names, and texts with known shapes. The value itself when it has none. */
export function redactJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  let hasChanged = false;
  const redact = (name: string | undefined, member: unknown): unknown => {
    const isSecret = name !== undefined && isSecretName(name) && isValue(member);
    const redacted = isSecret ? REDACTED : redactJson(member, depth + 1);
    hasChanged ||= redacted !== member;
    return redacted;
  };
  const redacted: unknown = Array.isArray(value)
    ? value.map((member) => redact(undefined, member))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redact(name, member)]));
  return hasChanged ? redacted : value;
}

/** Whether a value may be a secret: an object of such a name is looked into, and `true`, `null` and nothing say nothing. */
function isValue(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
