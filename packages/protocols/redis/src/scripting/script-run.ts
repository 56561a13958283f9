import type { Clock } from '@backlot/core/plugin';
import type { Session } from '../session.js';
import type { Resp } from '../wire/reply.js';

/** Milliseconds after which a script that still runs makes commands of others answer BUSY (busy-reply-threshold). */
export const BUSY_AFTER = 5000;

/** What a script is called with, beside what is on its stack. */
export interface ScriptInput {
  /** In the registry. */
  readonly chunk: number;
  /** How errors name it. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** Whether KEYS and ARGV are arguments, as for functions, and not globals. */
  readonly isFunction: boolean;
}

/** A script, or a function, that is carried out. */
export class ScriptRun {
  /** What its commands are sent as. */
  readonly session: Session;
  readonly isReadOnly: boolean;
  /** Whether it may write though the memory is full. */
  readonly allowsOom: boolean;
  /** What is called: a command and its arguments. */
  readonly command: readonly string[];
  /** The function that runs; `undefined` for EVAL. */
  readonly functionName: string | undefined;
  readonly startedAt: number;
  /** Whether it has changed data, so that it cannot be ended half done. */
  hasWritten = false;
  /** Whether it runs for so long that others are turned away. */
  isBusy = false;
  #timer: ReturnType<Clock['after']> | undefined;

  constructor(
    session: Session,
    startedAt: number,
    options: {
      readonly isReadOnly: boolean;
      readonly allowsOom: boolean;
      readonly command: readonly string[];
      readonly functionName?: string | undefined;
    },
  ) {
    this.session = session;
    this.startedAt = startedAt;
    this.isReadOnly = options.isReadOnly;
    this.allowsOom = options.allowsOom;
    this.command = options.command;
    this.functionName = options.functionName;
  }

  /** The types of RESP that the script gets. */
  get resp(): Resp {
    return this.session.resp;
  }

  /** Called when it is paused for the first time: from now on time counts. */
  watch(clock: Clock, onBusy: () => void): void {
    this.#timer ??= clock.after(BUSY_AFTER, () => {
      this.isBusy = true;
      onBusy();
    });
  }

  end(): void {
    this.#timer?.cancel();
  }
}
