import { invalid } from '../../errors.js';
import { FAKE_KINDS } from '../fake-data.js';
import { fakerCall } from './faker.js';
import { COST } from '../run.js';
import { chosen, numberOf, textOf, wordOf, type Helper } from './arguments.js';

const MAX_STRING = 64 * 1024;
const MAX_LETTERS = 1000;
const DRAWN_AT_ONCE = 10;
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';

/** Names of character sets; any other word stands for its own characters. */
const CHARSETS: ReadonlyMap<string, string> = new Map([
  ['alpha', UPPER + UPPER.toLowerCase()],
  ['lower', UPPER.toLowerCase()],
  ['upper', UPPER],
  ['numeric', DIGITS],
  ['hex', `${DIGITS}abcdef`],
  ['alphanumeric', UPPER + UPPER.toLowerCase() + DIGITS],
]);
const WIDE = Number.MAX_SAFE_INTEGER;

/** The helpers that draw from the random source of the message. */
export const CHANCE_HELPERS: Readonly<Record<string, Helper>> = {
  uuid: {
    usage: 'uuid',
    fewest: 0,
    most: 0,
    make: () => (run) => {
      run.spend(COST.made);
      return run.scope.random().uuid();
    },
  },
  rand_int: {
    usage: 'rand_int 1 100',
    fewest: 0,
    most: 2,
    make(args) {
      const rule = { helper: 'rand_int', whole: true, min: -WIDE, max: WIDE };
      const alone = args.length === 1;
      const min = numberOf(alone ? undefined : args[0], {
        ...rule,
        name: 'the smallest number',
        otherwise: 0,
      });
      const max = numberOf(args[alone ? 0 : 1], {
        ...rule,
        name: 'the greatest number',
        otherwise: 2 ** 31 - 1,
      });
      refuseReversed('rand_int', min.constant, max.constant);
      return (run) =>
        numberOrNothing(min.get(run), max.get(run), (low, high) => run.scope.random().int(low, high));
    },
  },
  rand_float: {
    usage: 'rand_float 0 1 2',
    fewest: 0,
    most: 3,
    make(args) {
      const rule = { helper: 'rand_float', whole: false, min: -WIDE, max: WIDE };
      const alone = args.length === 1;
      const min = numberOf(alone ? undefined : args[0], {
        ...rule,
        name: 'the smallest number',
        otherwise: 0,
      });
      const max = numberOf(args[alone ? 0 : 1], { ...rule, name: 'the greatest number', otherwise: 1 });
      refuseReversed('rand_float', min.constant, max.constant);
      const decimals = numberOf(args[2], {
        helper: 'rand_float',
        name: 'the number of decimals',
        whole: true,
        min: 0,
        max: 15,
        otherwise: Number.NaN,
      });
      return (run) =>
        numberOrNothing(min.get(run), max.get(run), (low, high) => {
          const drawn = run.scope.random().float(low, high);
          const places = decimals.get(run);
          return Number.isNaN(places) ? drawn : Number(drawn.toFixed(places));
        });
    },
  },
  rand_string: {
    usage: 'rand_string 16 "hex"',
    fewest: 0,
    most: 2,
    make([length, charset]) {
      const rule = { helper: 'rand_string', name: 'length', whole: true, min: 0, max: MAX_STRING };
      const count = numberOf(length, { ...rule, otherwise: 16 });
      const letters = wordOf(charset);
      return (run) => {
        const characters = count.get(run) || 0;
        run.spend(characters * COST.drawn);
        const random = run.scope.random();
        if (charset === undefined) return random.string(characters);
        const word = letters.get(run);
        const from = [...(CHARSETS.get(word) ?? word.slice(0, MAX_LETTERS))];
        run.spend(from.length * COST.drawn);
        // One text of chunks of a bounded size: texts that grow by a letter are slow to read afterwards.
        const chunks: string[] = [];
        for (let left = characters; left > 0 && from.length > 0; left -= DRAWN_AT_ONCE) {
          let chunk = '';
          for (let index = Math.min(left, DRAWN_AT_ONCE); index > 0; index -= 1)
            chunk += random.pick(from) ?? '';
          chunks.push(chunk);
        }
        return chunks.join('');
      };
    },
  },
  rand_bool: { usage: 'rand_bool', fewest: 0, most: 0, make: () => (run) => run.scope.random().bool() },
  pick: {
    usage: 'pick "red" "green"',
    fewest: 1,
    most: 1000,
    make: (args) => (run) => {
      const [only] = args;
      if (only !== undefined && args.length === 1) {
        const value = only.evaluate(run);
        return Array.isArray(value) ? run.scope.random().pick(value as unknown[]) : value;
      }
      return run.scope.random().pick(args)?.evaluate(run);
    },
  },
  fake: {
    usage: 'fake "email"',
    fewest: 1,
    most: 1,
    make([kind]) {
      const word = wordOf(kind);
      if (word.constant?.includes('.') === true || word.constant === undefined) {
        return fakerCall(word);
      }
      const make = chosen(kind, FAKE_KINDS, (given) =>
        invalid(
          `template helper "fake": unknown kind ${JSON.stringify(given)}; use one of ${[...FAKE_KINDS.keys()].join(', ')}, or a name of @faker-js/faker such as person.firstName`,
        ),
      );
      return (run) => {
        run.spend(COST.made);
        return make(run)?.(run.scope.random());
      };
    },
  },
  seq: {
    usage: 'seq "orders"',
    fewest: 1,
    most: 1,
    make([name]) {
      const key = name !== undefined && name.rooted ? textOf(name) : (): string => name?.text ?? '';
      return (run) => run.scope.seq(key(run));
    },
  },
};

function refuseReversed(helper: string, min: number | undefined, max: number | undefined): void {
  if (min !== undefined && max !== undefined && min > max) {
    throw invalid(
      `template helper "${helper}": ${min} is greater than ${max}; the smallest number comes first`,
    );
  }
}

function numberOrNothing(
  min: number,
  max: number,
  draw: (min: number, max: number) => number,
): number | undefined {
  return Number.isNaN(min) || Number.isNaN(max) ? undefined : draw(min, max);
}
