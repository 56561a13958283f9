import { BadCommand } from './bad-command.js';

const RANGE = /^(?:([1-9][0-9]{0,9})|\*)(?::(?:([1-9][0-9]{0,9})|(\*)))?$/;
const HIGHEST = 0xffff_ffff;

/** Numbers of messages, as `1,3:5,8:*` (RFC 3501, section 9: sequence-set). Never expanded, whatever its ranges say. */
export class SequenceSet {
  /** `undefined` is `*`. */
  readonly #ranges: readonly (readonly [number | undefined, number | undefined])[];

  /** @throws BadCommand when the text is none */
  constructor(text: string) {
    this.#ranges = text.split(',').map((range) => {
      const found = RANGE.exec(range);
      if (found === null) throw new BadCommand(`"${range.slice(0, 40)}" is no range of message numbers`);
      const from = numberOf(found[1]);
      const isSingle = found[2] === undefined && found[3] === undefined;
      return [from, isSingle ? from : numberOf(found[2])];
    });
  }

  /** The highest number it names; 0 when it is only `*`. */
  get highest(): number {
    let highest = 0;
    for (const [from = 0, to = 0] of this.#ranges) highest = Math.max(highest, from, to);
    return highest;
  }

  /** Whether `*` is in it. */
  get hasStar(): boolean {
    return this.#ranges.some((range) => range.includes(undefined));
  }

  /** Its ranges in ascending order, none touching another, where `*` is `last`. */
  ranges(last: number): readonly (readonly [from: number, to: number])[] {
    const sorted = this.#ranges
      .map(([from = last, to = last]): [number, number] => (from <= to ? [from, to] : [to, from]))
      .sort((a, b) => a[0] - b[0]);
    const merged: [number, number][] = [];
    for (const [from, to] of sorted) {
      const previous = merged.at(-1);
      if (previous !== undefined && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to);
      else merged.push([from, to]);
    }
    return merged;
  }

  /** Whether a number is in the set, where `*` is `last`; quick however many ranges there are. */
  resolve(last: number): (number: number) => boolean {
    const merged = this.ranges(last);
    return (number) => {
      let low = 0;
      let high = merged.length - 1;
      while (low <= high) {
        const middle = (low + high) >>> 1;
        const [from, to] = merged[middle] ?? [0, 0];
        if (number < from) high = middle - 1;
        else if (number > to) low = middle + 1;
        else return true;
      }
      return false;
    };
  }
}

function numberOf(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (number > HIGHEST) throw new BadCommand(`the number ${digits} is above ${HIGHEST}`);
  return number;
}

/** Writes ascending numbers as a set: `1:3,7`. */
export function writeSequenceSet(numbers: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < numbers.length;) {
    const from = numbers[at] ?? 0;
    let to = from;
    for (at += 1; numbers[at] === to + 1; at += 1) to += 1;
    ranges.push(from === to ? `${from}` : `${from}:${to}`);
  }
  return ranges.join(',');
}
