import { COST, type Run } from '../run.js';
import { toText } from '../text-forms.js';
import { numberOf, textOf, type Helper } from './arguments.js';

/** The helpers that read lists. */
export const LIST_HELPERS: Readonly<Record<string, Helper>> = {
  length: {
    usage: 'length request.body.items',
    fewest: 1,
    most: 1,
    make([argument]) {
      return (run) => lengthOf(argument?.evaluate(run), run);
    },
  },
  at: {
    usage: 'at request.body.items -1',
    fewest: 2,
    most: 2,
    make([list, index]) {
      const rule = { helper: 'at', name: 'the index', whole: true, otherwise: 0 };
      const place = numberOf(index, { ...rule, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
      return (run) => {
        const value = list?.evaluate(run);
        const wanted = place.get(run);
        return Array.isArray(value) && !Number.isNaN(wanted) ? (value as unknown[]).at(wanted) : undefined;
      };
    },
  },
  join: {
    usage: 'join request.body.tags ", "',
    fewest: 1,
    most: 2,
    make([list, separator]) {
      const between = separator === undefined ? (): string => ',' : textOf(separator);
      return (run) => {
        const value = list?.evaluate(run);
        const glue = between(run);
        return Array.isArray(value) ? textsOf(value, glue.length, run).join(glue) : value;
      };
    },
  },
  csv: {
    usage: 'csv request.body.rows',
    fewest: 1,
    most: 2,
    make([argument, separator]) {
      const between = separator === undefined ? (): string => ',' : textOf(separator);
      return (run) => {
        const value = argument?.evaluate(run);
        const glue = between(run);
        return csvOf(value, glue, run);
      };
    },
  },
};

function lengthOf(value: unknown, run: Run): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return toText(value).length;
  const { length } = Object.keys(value);
  run.spend(length * COST.changed);
  return length;
}

/** The texts of a list; making and joining them counts as work. */
function textsOf(list: readonly unknown[], glue: number, run: Run): string[] {
  return list.map((item) => {
    const text = toText(item);
    run.spend(COST.drawn + glue + text.length * (typeof item === 'string' ? 1 : COST.encoded));
    return text;
  });
}

/** A list is a line, a list of lists or objects has a line for each (RFC 4180); everything else is one field. */
function csvOf(value: unknown, glue: string, run: Run): string {
  if (!Array.isArray(value)) return record(isRow(value) ? Object.values(value) : [value], glue, run);
  const rows = value as readonly unknown[];
  if (!rows.every(isRow)) return record(rows, glue, run);
  return rows.map((row) => record(Object.values(row), glue, run)).join('\r\n');
}

function record(values: readonly unknown[], glue: string, run: Run): string {
  return textsOf(values, glue.length, run)
    .map((text) => {
      run.spend(text.length * COST.changed);
      return /["\r\n]/.test(text) || (glue !== '' && text.includes(glue))
        ? `"${text.replaceAll('"', '""')}"`
        : text;
    })
    .join(glue);
}

function isRow(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}
