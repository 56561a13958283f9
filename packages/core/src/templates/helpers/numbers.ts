import { numberIn, numberOf, textOf, type Helper } from './arguments.js';

/** The most numbers that are added or multiplied in one call. */
const MANY = 50;
/** Digits that a double holds for certain, so that 0.1 + 0.2 is 0.3. */
const DIGITS = 15;

/** The helpers that compute; a value that is no number makes nothing. */
export const NUMBER_HELPERS: Readonly<Record<string, Helper>> = {
  add: computation('add request.body.n 1', (a, b) => a + b, MANY),
  sub: computation('sub request.body.n 1', (a, b) => a - b),
  mul: computation('mul request.body.price 1.2', (a, b) => a * b, MANY),
  div: computation('div request.body.total 3', (a, b) => a / b),
  mod: computation('mod @index 2', (a, b) => a % b),
  round: {
    usage: 'round request.body.price 2',
    fewest: 1,
    most: 2,
    make([value, decimals]) {
      const read = textOf(value);
      const rule = { helper: 'round', name: 'the number of decimals', whole: true, min: -15, max: 15 };
      const places = numberOf(decimals, { ...rule, otherwise: 0 });
      return (run) => rounded(numberIn(read(run)), places.get(run));
    },
  },
};

function computation(usage: string, compute: (a: number, b: number) => number, most = 2): Helper {
  return {
    usage,
    fewest: 2,
    most,
    make(args) {
      const reads = args.map((argument) => textOf(argument));
      return (run) => {
        const made = reads.map((read) => numberIn(read(run))).reduce(compute);
        return Number.isFinite(made) ? Number(made.toPrecision(DIGITS)) : undefined;
      };
    },
  };
}

/** Rounds in decimal notation, halves away from zero: 1.005 to two decimals is 1.01. */
function rounded(value: number, places: number): number | undefined {
  if (!Number.isFinite(value) || Number.isNaN(places)) return undefined;
  const [digits = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const shifted = Math.round(Number(`${digits}e${Number(exponent) + places}`));
  const [whole = '0', power = '0'] = String(shifted).split('e');
  const made = Number(`${whole}e${Number(power) - places}`);
  if (!Number.isFinite(made)) return value;
  return value < 0 && made !== 0 ? -made : made;
}
