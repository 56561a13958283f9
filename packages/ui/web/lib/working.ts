import { signal } from '@preact/signals';
import type { Draft } from './drafts.js';

/** What the editor works on. */
export interface Work {
  readonly kind: string;
  /** The mock that is replaced; a new one is made when absent. */
  readonly id?: string;
  readonly mock: Draft;
  /** The log entry that it came from. */
  readonly from?: string;
}

/** What is in the editor; undefined while there is nothing. */
export const work = signal<Work | undefined>(undefined);

/** Puts a mock into the editor. */
export function edit(next: Work): void {
  work.value = next;
}
