import { oneLine } from './format.js';
import type { Toxic } from './toxics.js';

/** A fault as it is set. */
export type Fault = Readonly<Record<string, unknown>>;

/** A fault or a toxic, with what it comes from, as `GET /api/troubles` has it. */
export interface Trouble {
  readonly protocol: string;
  readonly source: 'set' | 'scenario' | 'incident';
  readonly id?: string;
  /** Whether it acts: the fault of an incident takes the place of all others. */
  readonly in_force: boolean;
  readonly fault?: Fault;
  readonly toxic?: Toxic;
}

const PERCENT = 100;

/** What a fault does, in some words. */
export function wordsOfFault(fault: Fault): string {
  const { error_rate: rate, delay, left: _left, expires: _expires, ...rest } = fault;
  const parts = [
    rate === undefined ? '' : `${Math.round(Number(rate) * PERCENT)} % fail`,
    delay === undefined ? '' : `delay ${oneLine(delay)}`,
    ...Object.entries(rest).map(([name, value]) => `${name} ${oneLine(value)}`),
  ];
  const words = parts.filter((part) => part !== '').join(', ');
  return words === '' ? 'all fail' : words;
}

/** What a toxic does, in some words. */
export function wordsOfToxic({ type, stream, attributes = {}, toxicity = 1, client }: Toxic): string {
  const parts = [
    type,
    ...Object.entries(attributes).map(([name, value]) => `${name} ${value}`),
    toxicity === 1 ? '' : `${Math.round(toxicity * PERCENT)} %`,
    stream === 'upstream' ? 'from clients' : 'to clients',
    client === undefined ? '' : `${client} alone`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
