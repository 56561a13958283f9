import { parseJson } from '../../patterns/parse-json.js';
import { parseLongDuration } from '../../time/duration.js';
import { BacklotError } from '../../errors.js';
import { COST, type Run } from '../run.js';
import type { TokenKeys } from '../scope.js';
import { toJson, toText } from '../text-forms.js';
import { wordOf, type Argument, type Helper } from './arguments.js';

/** The most arguments of `jwt`. */
const MANY = 101;
/** What a signature costs: an RSA one takes about a millisecond. */
const SIGNED = 1_000_000;
/** How long a token is good for, in seconds, when nothing says so. */
const LIFETIME = 3_600;
/** The claims that are dates (RFC 7519, section 4.1), for which a duration counts from the time of the token. */
const DATES: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp']);

/** The helpers that use the keys of the configuration. */
export const TOKEN_HELPERS: Readonly<Record<string, Helper>> = {
  jwt: {
    usage: 'jwt "k1" "sub" request.body.user "exp" "1h"',
    fewest: 1,
    most: MANY,
    make([key, ...args]) {
      const name = wordOf(key);
      const whole = args.length % 2 === 1 ? args[0] : undefined;
      const pairs = whole === undefined ? args : args.slice(1);
      return (run) => {
        run.spend(SIGNED);
        const claims = { ...claimsOf(whole, run) };
        for (let at = 0; at < pairs.length; at += 2)
          setClaim(claims, toText(pairs[at]?.evaluate(run)), pairs[at + 1]?.evaluate(run));
        run.spend(toJson(claims).length * COST.encoded);
        return keysOf(run).sign(name.get(run), dated(claims, run.scope.now()));
      };
    },
  },
  jwks: {
    usage: 'jwks',
    fewest: 0,
    most: 0,
    make: () => (run) => {
      run.spend(SIGNED / 10);
      return keysOf(run).publicKeys();
    },
  },
};

function keysOf(run: Run): TokenKeys {
  const { keys } = run.scope;
  if (keys === undefined) throw new BacklotError('invalid', 'the configuration has no "keys"');
  return keys;
}

/** The claims that are given as one value: an object, or a text that is one in JSON. */
function claimsOf(argument: Argument | undefined, run: Run): object {
  const value = argument?.evaluate(run);
  if (typeof value === 'string') {
    run.spend(value.length * COST.encoded);
    const [parsed] = parseJson(value);
    return isPlain(parsed) ? parsed : {};
  }
  return isPlain(value) ? value : {};
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function setClaim(claims: object, name: string, value: unknown): void {
  Object.defineProperty(claims, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Dates in seconds: `iat` is now and `exp` an hour later unless they are given; `null` leaves one out. */
function dated(claims: object, now: number): object {
  const seconds = Math.floor(now / 1000);
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries({ iat: seconds, exp: seconds + LIFETIME, ...claims })) {
    if (value === undefined || value === null) continue;
    setClaim(made, name, DATES.has(name) && typeof value === 'string' ? dateOf(value, seconds) : value);
  }
  return made;
}

function dateOf(text: string, seconds: number): unknown {
  if (/^\d+$/.test(text)) return Number(text);
  try {
    return seconds + Math.floor(parseLongDuration(text) / 1000);
  } catch {
    return text;
  }
}
