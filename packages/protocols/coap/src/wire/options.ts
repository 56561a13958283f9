/** Option numbers (RFC 7252 section 5.10, RFC 7641, RFC 7959, RFC 8768, RFC 9175). */
export const OPTION = {
  IF_MATCH: 1,
  URI_HOST: 3,
  ETAG: 4,
  IF_NONE_MATCH: 5,
  OBSERVE: 6,
  URI_PORT: 7,
  LOCATION_PATH: 8,
  URI_PATH: 11,
  CONTENT_FORMAT: 12,
  MAX_AGE: 14,
  URI_QUERY: 15,
  HOP_LIMIT: 16,
  ACCEPT: 17,
  LOCATION_QUERY: 20,
  BLOCK2: 23,
  BLOCK1: 27,
  SIZE2: 28,
  PROXY_URI: 35,
  PROXY_SCHEME: 39,
  SIZE1: 60,
  ECHO: 252,
  NO_RESPONSE: 258,
  REQUEST_TAG: 292,
} as const;

/** What the definition of an option says. */
export interface OptionRule {
  /** As the journal shows it. */
  readonly name: string;
  readonly format: 'uint' | 'string' | 'opaque' | 'empty';
  /** Octets. */
  readonly min: number;
  readonly max: number;
  readonly isRepeatable: boolean;
}

function rule(
  name: string,
  format: OptionRule['format'],
  min: number,
  max: number,
  isRepeatable = false,
): OptionRule {
  return { name, format, min, max, isRepeatable };
}

// An array, since every option of every request is looked up in it.
const RULES: (OptionRule | undefined)[] = [];
RULES[OPTION.IF_MATCH] = rule('if-match', 'opaque', 0, 8, true);
RULES[OPTION.URI_HOST] = rule('uri-host', 'string', 1, 255);
RULES[OPTION.ETAG] = rule('etag', 'opaque', 1, 8, true);
RULES[OPTION.IF_NONE_MATCH] = rule('if-none-match', 'empty', 0, 0);
RULES[OPTION.OBSERVE] = rule('observe', 'uint', 0, 3);
RULES[OPTION.URI_PORT] = rule('uri-port', 'uint', 0, 2);
RULES[OPTION.LOCATION_PATH] = rule('location-path', 'string', 0, 255, true);
RULES[OPTION.URI_PATH] = rule('uri-path', 'string', 0, 255, true);
RULES[OPTION.CONTENT_FORMAT] = rule('content-format', 'uint', 0, 2);
RULES[OPTION.MAX_AGE] = rule('max-age', 'uint', 0, 4);
RULES[OPTION.URI_QUERY] = rule('uri-query', 'string', 0, 255, true);
RULES[OPTION.HOP_LIMIT] = rule('hop-limit', 'uint', 1, 1);
RULES[OPTION.ACCEPT] = rule('accept', 'uint', 0, 2);
RULES[OPTION.LOCATION_QUERY] = rule('location-query', 'string', 0, 255, true);
RULES[OPTION.BLOCK2] = rule('block2', 'uint', 0, 3);
RULES[OPTION.BLOCK1] = rule('block1', 'uint', 0, 3);
RULES[OPTION.SIZE2] = rule('size2', 'uint', 0, 4);
RULES[OPTION.PROXY_URI] = rule('proxy-uri', 'string', 1, 1034);
RULES[OPTION.PROXY_SCHEME] = rule('proxy-scheme', 'string', 1, 255);
RULES[OPTION.SIZE1] = rule('size1', 'uint', 0, 4);
RULES[OPTION.ECHO] = rule('echo', 'opaque', 1, 40);
RULES[OPTION.NO_RESPONSE] = rule('no-response', 'uint', 0, 1);
RULES[OPTION.REQUEST_TAG] = rule('request-tag', 'opaque', 0, 8, true);

/** The rule of an option that is known here. */
export function ruleOf(number: number): OptionRule | undefined {
  return RULES[number];
}

/** Whether a request with this option must be refused by who does not know it (RFC 7252 section 5.4.6). */
export function isCritical(number: number): boolean {
  return (number & 1) === 1;
}

/** Whether the option is no part of what tells two requests apart (RFC 7252 section 5.4.6). */
export function isNoCacheKey(number: number): boolean {
  return (number & 0x1e) === 0x1c;
}
