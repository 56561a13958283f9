import { invalid, messageOf } from '../../errors.js';
import { parseLongDuration } from '../../time/duration.js';
import { compileLayout, type FormatDate } from '../go-layout.js';
import { COST, type Run } from '../run.js';
import { wordOf, type Argument, type Helper, type Prepared } from './arguments.js';

/** The last moment a date can name, in milliseconds (ECMA-262, section 21.4.1.1). */
const LAST = 8.64e15;
/** Characters of a layout. */
const MAX_LAYOUT = 1000;

/** `now`, `date` and `date_add`: dates of the virtual clock, in UTC. */
export const TIME_HELPERS: Readonly<Record<string, Helper>> = {
  now: {
    usage: 'now',
    fewest: 0,
    most: 0,
    make: () => (run) => dateAt(run.scope.now()).toISOString(),
  },
  date: {
    usage: 'date "2006-01-02"',
    fewest: 1,
    most: 1,
    make([layout]) {
      const format = layoutOf(layout, 'date');
      return (run) => format(run)(dateAt(run.scope.now()));
    },
  },
  date_add: {
    usage: 'date_add "2006-01-02" "24h"',
    fewest: 2,
    most: 2,
    make([layout, duration]) {
      const format = layoutOf(layout, 'date_add');
      const shift = shiftOf(duration);
      return (run) => format(run)(dateAt(run.scope.now() + shift.get(run)));
    },
  },
};

function layoutOf(argument: Argument | undefined, helper: string): (run: Run) => FormatDate {
  const word = wordOf(argument);
  if (word.constant === undefined) {
    return (run) => {
      const layout = word.get(run).slice(0, MAX_LAYOUT);
      run.spend(layout.length * COST.call);
      return compileLayout(layout) ?? (() => '');
    };
  }
  if (word.constant.length > MAX_LAYOUT) {
    throw invalid(
      `template helper "${helper}": a layout of ${word.constant.length} characters is too long; at most ${MAX_LAYOUT} are allowed`,
    );
  }
  const { length } = word.constant;
  const format = compileLayout(word.constant);
  if (format === undefined) {
    throw invalid(
      `template helper "${helper}": layout ${JSON.stringify(word.constant)} has no part of a date; write it as the time 2006-01-02T15:04:05Z07:00, or rfc3339, unix, unix_ms`,
    );
  }
  return (run) => {
    run.spend(length * COST.drawn);
    return format;
  };
}

function shiftOf(argument: Argument | undefined): Prepared<number> {
  const word = wordOf(argument);
  if (word.constant === undefined) {
    return { constant: undefined, get: (run) => shiftOrNone(word.get(run)) };
  }
  let shift: number;
  try {
    shift = parseLongDuration(word.constant);
  } catch (error) {
    throw invalid(`template helper "date_add": ${messageOf(error)}`);
  }
  return { constant: shift, get: () => shift };
}

function shiftOrNone(text: string): number {
  try {
    return parseLongDuration(text);
  } catch {
    return 0;
  }
}

function dateAt(milliseconds: number): Date {
  return new Date(Math.min(Math.max(milliseconds, -LAST), LAST));
}
