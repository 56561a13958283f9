import type { Command } from '@backlot/management';

/** The first entry: what all replicas have in common. */
export interface Founding {
  readonly format: 1;
  /** Of Backlot. */
  readonly version: string;
  /** A hash of the configuration. */
  readonly settings: string;
  readonly seed: number;
  /** Tells apart clusters that had the same name. */
  readonly cluster: string;
}

/** Any other entry: one command. */
export interface CommandEntry {
  readonly id: string;
  /** The replica that was asked. */
  readonly from: string;
  /** When, in milliseconds since 1970 by the clock of its machine. */
  readonly at: number;
  readonly command: Command;
}

/** @throws Error for a text that no replica of this version has written */
export function readFounding(text: string): Founding {
  const value = JSON.parse(text) as Partial<Founding> | null;
  if (value?.format === 1 && typeof value.seed === 'number') return value as Founding;
  throw new Error('the first entry of the log is none of Backlot');
}
