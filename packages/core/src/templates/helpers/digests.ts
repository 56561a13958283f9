import { createHash, createHmac } from 'node:crypto';
import { invalid } from '../../errors.js';
import { COST, type Run } from '../run.js';
import { toText } from '../text-forms.js';
import { chosen, type Argument, type Helper } from './arguments.js';

const ALGORITHMS: ReadonlyMap<string, string> = new Map(
  ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((name) => [name, name]),
);
type Encoding = 'hex' | 'base64' | 'base64url';
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['hex', 'hex'],
  ['base64', 'base64'],
  ['base64url', 'base64url'],
]);

/** The helpers that digest and encode bytes. */
export const DIGEST_HELPERS: Readonly<Record<string, Helper>> = {
  base64: encoding('base64 request.raw_body', 'base64'),
  base64url: encoding('base64url request.raw_body', 'base64url'),
  hash: {
    usage: 'hash "sha256" request.raw_body "hex"',
    fewest: 2,
    most: 3,
    make([algorithm, argument, form]) {
      return digest(algorithmOf('hash', algorithm), argument, encodingOf('hash', form));
    },
  },
  base64url_hash: {
    usage: 'base64url_hash "sha256" request.body.code_verifier',
    fewest: 2,
    most: 2,
    make([algorithm, argument]) {
      return digest(algorithmOf('base64url_hash', algorithm), argument, () => 'base64url');
    },
  },
  hmac: {
    usage: 'hmac "sha256" vars.secret request.raw_body "hex"',
    fewest: 3,
    most: 4,
    make([algorithm, key, argument, form]) {
      const name = algorithmOf('hmac', algorithm);
      const [secret, bytes] = [bytesOf(key), bytesOf(argument)];
      const written = encodingOf('hmac', form);
      return (run) => {
        const [known, encoded] = [name(run), written(run)];
        run.spend(2 * COST.digest);
        if (known === undefined || encoded === undefined) return undefined;
        return createHmac(known, secret(run)).update(bytes(run)).digest(encoded);
      };
    },
  },
};

function digest(
  name: (run: Run) => string | undefined,
  argument: Argument | undefined,
  written: (run: Run) => Encoding | undefined,
): (run: Run) => string | undefined {
  const bytes = bytesOf(argument);
  return (run) => {
    const [known, encoded] = [name(run), written(run)];
    run.spend(COST.digest);
    if (known === undefined || encoded === undefined) return undefined;
    return createHash(known).update(bytes(run)).digest(encoded);
  };
}

function algorithmOf(helper: string, argument: Argument | undefined): (run: Run) => string | undefined {
  return chosen(argument, ALGORITHMS, (given) =>
    invalid(
      `template helper "${helper}": unknown algorithm ${JSON.stringify(given)}; use one of ${[...ALGORITHMS.keys()].join(', ')}`,
    ),
  );
}

function encodingOf(helper: string, argument: Argument | undefined): (run: Run) => Encoding | undefined {
  if (argument === undefined) return () => 'hex';
  return chosen(argument, ENCODINGS, (given) =>
    invalid(
      `template helper "${helper}": unknown encoding ${JSON.stringify(given)}; use one of ${[...ENCODINGS.keys()].join(', ')}`,
    ),
  );
}

function encoding(usage: string, name: 'base64' | 'base64url'): Helper {
  return {
    usage,
    fewest: 1,
    most: 1,
    make([argument]) {
      const bytes = bytesOf(argument);
      return (run) => Buffer.from(bytes(run)).toString(name);
    },
  };
}

/** Bytes stay bytes; everything else is its text in UTF-8. */
function bytesOf(argument: Argument | undefined): (run: Run) => Uint8Array {
  return (run) => {
    const value = argument?.evaluate(run);
    const bytes = value instanceof Uint8Array ? value : Buffer.from(toText(value), 'utf8');
    run.spend(bytes.length * COST.changed);
    return bytes;
  };
}
