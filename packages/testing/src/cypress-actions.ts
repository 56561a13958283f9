import type { Expectation, JournalEntry, JournalFilter } from '@backlot/core';
import type { SeenOptions } from './seen.js';

/** Where a space is, as JSON. */
export interface SpacePlace {
  readonly id: string;
  /** Its own listeners by kind. */
  readonly urls: Readonly<Record<string, string>>;
  /** Environment variables that tell programs where they are, such as `REDIS_URL`. */
  readonly env: Readonly<Record<string, string>>;
  /** The headers by which requests name the space, for `cy.request`, which is not intercepted. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What `cy.backlot(name, ...)` does in the space of the test. Arguments and answers are JSON, since they pass from the browser to
 * Node.js: a regular expression cannot be wanted.
 */
export interface BacklotActions {
  /** Where the space is. */
  space(): SpacePlace;
  /** Creates a mock, and answers it as it is stored. */
  mock(kind: string, mock: object): { readonly id: string };
  /** Removes a mock. */
  remove(kind: string, id: string): void;
  /** The calls of a mock, oldest first. */
  calls(kind: string, id: string): readonly JournalEntry[];
  /** Waits until a mock was called so many times. @param timeout - milliseconds; 2,000 when absent */
  waitForCalls(kind: string, id: string, count?: number, timeout?: number): readonly JournalEntry[];
  /** What was received over all protocols, oldest first. */
  journal(filter?: JournalFilter): readonly JournalEntry[];
  /** The captured messages that have the wanted values. */
  captured(kind: string, wanted?: unknown): readonly unknown[];
  /** Waits for a captured message that has the wanted values. @param timeout - milliseconds; 2,000 when absent */
  waitForCaptured(kind: string, wanted?: unknown, timeout?: number): unknown;
  /** Sets the fault of a protocol; without one, clears it. */
  fault(kind: string, fault?: object): void;
  /** Sets values that mocks look at, and answers all. */
  state(values?: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Switches a scenario on, or off, and says which are on. */
  scenario(id: string, active?: boolean): readonly string[];
  /** Moves the virtual time forward by so many milliseconds. */
  advance(milliseconds: number): void;
  /** Fails unless the messages that are expected were received, or are within two seconds. */
  assertSeen(expected: readonly Expectation[], options?: SeenOptions): void;
  /** Fails when there are messages that no mock matched. */
  assertAllMatched(): void;
  /** Puts everything back to what it was when the space was made. */
  reset(): void;
  /** Asks the management API for whatever else it has. @param path - below `/api`, such as `/toxics/http` */
  call(method: string, path: string, body?: unknown): unknown;
}

/** What the browser sends to Node.js for one action. */
export interface ActionRequest {
  readonly name: keyof BacklotActions;
  readonly args: readonly unknown[];
}

/** The names of the tasks by which the browser asks Node.js. */
export const TASKS = { begin: 'backlot:begin', act: 'backlot:act', explain: 'backlot:explain' } as const;
