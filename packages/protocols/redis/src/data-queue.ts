import { nextTurn, runInSlices, Slice } from '@backlot/core/plugin';

/** What a command does to the data. */
export type Access = 'none' | 'read' | 'write';

/** Work that did not fit into one slice. */
interface LongWork {
  readonly steps: Iterator<unknown, unknown>;
  readonly isWrite: boolean;
  /** Gives it up; absent for what nothing gives up. */
  readonly controller: AbortController | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Waiting {
  readonly access: Access;
  begin(): void;
}

/**
 * Whose turn it is at the data. As on a Redis, commands are carried out one after the other and nobody sees one half done;
 * but one that takes long is carried out in slices, between which the process does other things: while it writes, other
 * commands wait in line for the data; while it reads, others may read, as long as nobody waits to write.
 */
export class DataQueue {
  /** Long work: the first is being carried out; those behind it are reads that have begun as well. */
  readonly #long: LongWork[] = [];
  readonly #line: Waiting[] = [];
  /** How much of the long work writes. */
  #writing = 0;
  /** How much of it nothing gives up. */
  #lasting = 0;
  #isAdmitting = false;

  /** Whether nothing long is under way and nobody waits: every command may begin. */
  get isIdle(): boolean {
    return this.#long.length === 0 && this.#line.length === 0;
  }

  /** Whether a command may begin now; it has to {@link wait} else. */
  isOpenTo(access: Access): boolean {
    if (this.#line.length > 0) return access === 'none';
    return this.#admits(access);
  }

  /** Calls back when it is a command's turn, in the order of calls. */
  wait(access: Access, begin: () => void): void {
    this.#line.push({ access, begin });
  }

  /**
   * Carries out work that may take long; what is in the way of it must have been waited for.
   *
   * @param onLong - called when the work does not fit into one slice, with a function that gives it up for a reason
   * @returns its result; a promise when it does not fit into one slice, rejected with the reason when it is given up
   */
  run<T>(
    steps: Iterator<unknown, T>,
    isWrite: boolean,
    onLong?: (giveUp: (reason: Error) => void) => void,
  ): T | Promise<T> {
    const slice = new Slice();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (slice.isOver) break;
    }
    const controller = new AbortController();
    onLong?.((reason) => controller.abort(reason));
    return this.#begin(steps, isWrite, controller);
  }

  /**
   * Carries out work on all data that nobody gives up, such as a snapshot: now, but for other work of this kind and what
   * is under way, and before those who wait.
   *
   * @param steps - makes the work when it is its turn
   * @param isWrite - whether it puts other data in place: all that is under way is given up for this reason first
   */
  runLasting(steps: () => Iterator<unknown, void>, isWrite: Error | false): void {
    if (isWrite !== false) this.giveUp(isWrite);
    // Nothing that was given up takes another step.
    const isNext = isWrite === false ? this.#long.length === 0 : this.#lasting === 0;
    const work = isNext ? steps() : makeLater(steps);
    if (isNext) {
      const slice = new Slice();
      for (;;) {
        if (work.next().done === true) return;
        if (slice.isOver) break;
      }
    }
    this.#lasting += 1;
    void this.#begin(work, isWrite !== false, undefined);
  }

  #begin<T>(
    steps: Iterator<unknown, T>,
    isWrite: boolean,
    controller: AbortController | undefined,
  ): Promise<T> {
    if (isWrite) this.#writing += 1;
    return new Promise<T>((resolve, reject) => {
      this.#long.push({
        steps,
        isWrite,
        controller,
        resolve: (result) => resolve(result as T),
        reject,
      });
      if (this.#long.length === 1) void this.#carryOut();
    });
  }

  #ended({ isWrite, controller }: LongWork): void {
    this.#long.shift();
    if (isWrite) this.#writing -= 1;
    if (controller === undefined) this.#lasting -= 1;
  }

  /** Gives up all that is under way, for a reason. */
  giveUp(reason: Error): void {
    for (const { controller } of this.#long) controller?.abort(reason);
  }

  /** Lets all who wait begin now, though it is not their turn: they are to be told so. */
  turnAway(): void {
    for (const waiting of this.#line.splice(0)) waiting.begin();
  }

  async #carryOut(): Promise<void> {
    for (let work = this.#long[0]; work !== undefined; work = this.#long[0]) {
      await nextTurn();
      const { steps, controller, resolve, reject } = work;
      try {
        if (controller?.signal.aborted === true) steps.return?.();
        controller?.signal.throwIfAborted();
        const result = await runInSlices(steps, controller?.signal);
        this.#ended(work);
        resolve(result);
      } catch (thrown) {
        this.#ended(work);
        reject(thrown);
      }
    }
    if (!this.#isAdmitting) void this.#admit();
  }

  /** Lets in who waits, in order. */
  async #admit(): Promise<void> {
    this.#isAdmitting = true;
    const slice = new Slice();
    for (
      let first = this.#line[0];
      first !== undefined && this.#admits(first.access);
      first = this.#line[0]
    ) {
      this.#line.shift();
      first.begin();
      if (!slice.isOver) continue;
      await nextTurn();
      slice.restart();
    }
    this.#isAdmitting = false;
  }

  #admits(access: Access): boolean {
    if (access === 'none') return true;
    return this.#long.length === 0 || (access === 'read' && this.#writing === 0);
  }
}

function* makeLater(steps: () => Iterator<unknown, void>): Generator<unknown, void> {
  const work = steps();
  while (work.next().done !== true) yield;
}
