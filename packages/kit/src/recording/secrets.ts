/** What stands in a recording where a secret stood. */
export const REDACTED = 'REDACTED';

/** A rule by which secrets are found by their shape. */
export interface SecretShape {
  readonly rule: string;
  readonly pattern: RegExp;
}

/** Words that make a value a secret where one ends a word of its name: `x-auth-token`, `authToken`, `authtoken` and `token2`. */
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
  'passwords',
  'pwd',
  'secret',
  'secrets',
  'signature',
  'token',
];

/** Ends of a name, without what stands between its words, that make its value a secret. */
export const SECRET_ENDS: readonly string[] = ['apikey', 'accesskey', 'privatekey', 'secretkey', 'sessionid'];

/** Words after which a token is a place in a list, and no secret. */
export const HARMLESS_WORDS: readonly string[] = ['continuation', 'cursor', 'next', 'page', 'sync'];

/** Secrets that are known by their shape wherever they stand. Each is found in a time that grows with the text alone. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  { rule: 'JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  {
    rule: 'private key',
    // One that is cut off goes to the end of its text. No quote is in one: it does not reach into the next text of JSON.
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-"]|-(?!----))*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|(?="|$))/g,
  },
  { rule: 'credentials of HTTP', pattern: /\b(?:Bearer|Basic) [\w.~+/=-]{8,}/g },
  { rule: 'key of AWS', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { rule: 'token of GitHub', pattern: /\bgh[pousr]_\w{36,}/g },
  { rule: 'token of Slack', pattern: /\bxox[abeprs]-[\w-]{10,}/g },
  { rule: 'key of Stripe', pattern: /\b[rs]k_(?:live|test)_\w{16,}/g },
  { rule: 'key of Google', pattern: /\bAIza[\w-]{35}/g },
];

/** Whether a text may have one of these shapes, or an url with something to look into: most have not. */
const HINT =
  /eyJ|PRIVATE KEY|Bearer |Basic |AKIA|ASIA|gh[pousr]_|xox[abeprs]-|[rs]k_(?:live|test)_|AIza|(?:https?|wss?|ftp):\/\//;
const URLS = /\b(?:https?|wss?|ftp):\/\/[^\s"'<>\\]+/g;
const SHORTEST = 10;
const END_WORDS = new RegExp(`(?:${SECRET_WORDS.join('|')})$`);
const HARMLESS_END = new RegExp(`(?:${HARMLESS_WORDS.join('|')})$`);

/** Whether what has this name is a secret, whatever it is. */
export function isSecretName(name: string): boolean {
  if (name.length > 200) return false;
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part.replace(/\d{1,9}$/, ''))
    .filter((part) => part !== '');
  const joined = parts.join('');
  if (SECRET_ENDS.some((end) => joined.endsWith(end))) return true;
  return parts.some((part, index) => {
    const word = END_WORDS.exec(part)?.[0];
    if (word === undefined) return false;
    const before = part.slice(0, -word.length) || (parts[index - 1] ?? '');
    return word !== 'token' || !HARMLESS_END.test(before);
  });
}

/** The text without secrets that have a known shape, and without those in the urls in it. */
export function redactText(text: string): string {
  if (text.length < SHORTEST || !HINT.test(text)) return text;
  let redacted = text;
  for (const { pattern } of SECRET_SHAPES) redacted = redacted.replaceAll(pattern, REDACTED);
  return redacted.replaceAll(URLS, redactUrl);
}

/** An url, absolute or not, without a password and without the values of secret names in its query and fragment. */
export function redactUrl(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#@]+@/i, `$1:${REDACTED}@`)
    .replaceAll(/([?&#;])([^=&#?;]{1,200})=([^&#]+)/g, (whole: string, mark: string, name: string) =>
      isSecretName(decodePart(name)) ? `${mark}${name}=${REDACTED}` : whole,
    );
}

/** A part of a query or form without its escapes; as it is where they are wrong. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
