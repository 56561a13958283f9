import type { Chance } from '../shared/chance.js';
import type { Tree } from '../shared/values.js';

/** A number that a schema allows; `undefined` when there is none. */
export function sampleNumber(schema: Tree, isInteger: boolean, chance: Chance): number | undefined {
  const step = numberOf(schema['multipleOf']) ?? (isInteger ? 1 : undefined);
  const least = bound(schema['minimum'], schema['exclusiveMinimum'], step ?? 0.5, 1);
  const most = bound(schema['maximum'], schema['exclusiveMaximum'], step ?? 0.5, -1);
  if (least !== undefined && most !== undefined && least > most) {
    const middle = (least + most) / 2;
    return isInteger || step !== undefined ? undefined : middle;
  }
  const from = least ?? (most === undefined ? 1 : Math.min(1, most));
  const to = Math.min(most ?? from + 99, from + 99);
  if (step === undefined)
    return Math.round((from + chance.next() * (to - from)) * 100) / 100 < from
      ? from
      : clamp(Math.round((from + chance.next() * (to - from)) * 100) / 100, from, to);
  if (!(step > 0)) return undefined;
  const whole = isInteger && !Number.isInteger(step) ? 1 : step;
  const first = Math.ceil(from / whole);
  const last = Math.max(Math.floor(Math.max(to, most === undefined ? first * whole : from) / whole), first);
  const value = chance.int(first, Math.min(last, first + 99)) * whole;
  return most !== undefined && value > most ? (first * whole <= most ? first * whole : undefined) : value;
}

function clamp(value: number, from: number, to: number): number {
  return Math.min(Math.max(value, from), to);
}

/** The bound that counts. Those that exclude are a number since draft 6, and `true` beside the other before. */
function bound(plain: unknown, excluding: unknown, step: number, sign: 1 | -1): number | undefined {
  const value = numberOf(plain);
  const excluded = numberOf(excluding) ?? (excluding === true ? value : undefined);
  if (excluded === undefined) return value;
  const inside = excluded + sign * step;
  return value === undefined || sign * inside > sign * value ? inside : value;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e15 ? value : undefined;
}
