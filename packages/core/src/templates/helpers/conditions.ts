import type { Run } from '../run.js';
import { isEmpty } from '../text-forms.js';
import { numberIn, textOf, type Argument, type Helper } from './arguments.js';

/** The most arguments of `and` and `or`. */
const MANY = 50;

/** The helpers that decide: each begins a section, gives `true` or `false`, and may be an argument in parentheses. */
export const CONDITION_HELPERS: Readonly<Record<string, Helper>> = {
  if: {
    usage: 'if request.body.paid "yes" "no"',
    fewest: 1,
    most: 3,
    isCondition: true,
    make([condition, then, otherwise]) {
      if (then === undefined) return (run) => holds(condition, run);
      return (run) => (holds(condition, run) ? then : otherwise)?.evaluate(run);
    },
  },
  unless: negation('#unless request.body.paid'),
  not: negation('not request.body.paid'),
  and: {
    usage: 'and request.body.paid request.body.sent',
    fewest: 1,
    most: MANY,
    isCondition: true,
    make: (args) => (run) => args.every((argument) => holds(argument, run)),
  },
  or: {
    usage: 'or request.body.paid request.body.free',
    fewest: 1,
    most: MANY,
    isCondition: true,
    make: (args) => (run) => args.some((argument) => holds(argument, run)),
  },
  eq: comparison('eq', (order) => order === 0, true),
  ne: comparison('ne', (order) => order !== 0, true),
  gt: comparison('gt', (order) => order > 0),
  gte: comparison('gte', (order) => order >= 0),
  lt: comparison('lt', (order) => order < 0),
  lte: comparison('lte', (order) => order <= 0),
};

function holds(argument: Argument | undefined, run: Run): boolean {
  return !isEmpty(argument?.evaluate(run));
}

/** Holds when its argument does not: `unless` begins a section with it, `not` stands in parentheses. */
function negation(usage: string): Helper {
  return {
    usage,
    fewest: 1,
    most: 1,
    isCondition: true,
    make:
      ([condition]) =>
      (run) =>
        !holds(condition, run),
  };
}

/**
 * Compares two values: as numbers when both are numbers or texts of numbers, else as the texts they would be inserted as.
 *
 * @param ofNothing - whether a missing value compares, as an empty text
 */
function comparison(name: string, decide: (order: number) => boolean, ofNothing = false): Helper {
  return {
    usage: `${name} request.body.n 5`,
    fewest: 2,
    most: 2,
    isCondition: true,
    make([left, right]) {
      const [leftText, rightText] = [textOf(left), textOf(right)];
      return (run) => {
        const [a, b] = [leftText(run), rightText(run)];
        if (!ofNothing && (a === '' || b === '')) return false;
        const [x, y] = [numberIn(a), numberIn(b)];
        if (!Number.isNaN(x) && !Number.isNaN(y)) return decide(x - y);
        if (a === b) return decide(0);
        return decide(a < b ? -1 : 1);
      };
    },
  };
}
