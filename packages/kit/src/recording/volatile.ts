/** A rule by which a value of a request becomes a pattern, since it is another one each time. */
export interface VolatileRule {
  readonly rule: string;
  /** What it is for, for people. */
  readonly summary: string;
  /** Names of what it is for, compared in lower case without what stands between words; absent for any name. */
  readonly names?: readonly string[];
  /** What the whole text must be, which is the pattern as well. */
  readonly regex: string;
}

/** The rules, the first that fits counts. */
export const VOLATILE_RULES: readonly VolatileRule[] = [
  {
    rule: 'uuid',
    summary: 'a UUID',
    regex: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  },
  {
    rule: 'timestamp',
    summary: 'a date with a time (RFC 3339)',
    regex: String.raw`^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$`,
  },
  {
    rule: 'epoch',
    summary: 'seconds or milliseconds since 1970, by the name',
    names: [
      'ts',
      'time',
      'timestamp',
      'now',
      'date',
      'iat',
      'exp',
      'nbf',
      'expires',
      'createdat',
      'updatedat',
      'sentat',
    ],
    regex: String.raw`^\d{10}(\d{3})?$`,
  },
  {
    rule: 'nonce',
    summary: 'what is made anew for each request, by the name',
    names: [
      'nonce',
      'requestid',
      'traceid',
      'spanid',
      'correlationid',
      'idempotencykey',
      'csrf',
      'csrftoken',
      'cachebuster',
    ],
    regex: '^.+$',
  },
];

const compiled = VOLATILE_RULES.map((rule) => ({ ...rule, test: new RegExp(rule.regex, 's') }));

/**
 * The rule by which a value is volatile; `undefined` for one that is compared as it is.
 *
 * @param name - of the field, parameter or member that has the value
 */
export function volatileRule(name: string, value: string): VolatileRule | undefined {
  if (value.length > 1000 || name.length > 200) return undefined;
  const plain = name
    .toLowerCase()
    .replace(/^x-/, '')
    .replaceAll(/[^a-z0-9]+/g, '');
  return compiled.find(
    ({ names, test }) => (names === undefined || names.includes(plain)) && test.test(value),
  );
}
