import type { Log } from '../contract/log.js';
import { invalid, messageOf } from '../errors.js';
import type { StreamStore } from '../stores/stream-store.js';
import type { Clock, Waiting } from '../time/clock.js';
import type { TemplateScope } from '../templates/template.js';
import { runInSlices } from '../time/slices.js';
import { describeTarget, parseTarget, type CompiledEmit, type EmitTarget } from './compile-emits.js';

/** Pushes that may wait for their delay, or for others before them, at one time, and what they may hold. */
const MAX_WAITING = 10_000;
const MAX_WAITING_SIZE = 64 * 1024 * 1024;
/** What each value of data is counted as beside its texts. */
const VALUE_SIZE = 16;

/** Something that is pushed. */
interface Push {
  readonly kind: string;
  readonly id: string;
  readonly data: unknown;
  /** Which mock pushes, for the log. */
  readonly source: string;
  readonly log: Log;
}

/** The mock that emits. */
export interface EmitSource {
  readonly mockId: string;
  /** The values that its templates see. */
  readonly scope: TemplateScope;
  readonly log: Log;
}

/** Pushes what mocks emit into open streams: one after the other, in slices when many streams are open. */
export class Emitter {
  readonly #streams: StreamStore;
  readonly #clock: Clock;
  readonly #waits = new Set<Waiting>();
  #queue: Push[] = [];
  #isRunning = false;
  #waitingSize = 0;

  constructor(streams: StreamStore, clock: Clock) {
    this.#streams = streams;
    this.#clock = clock;
  }

  /** Renders what a mock emits, and pushes it now or after its delay. What cannot be pushed is a line of the log. */
  emit(emits: readonly CompiledEmit[], { mockId, scope, log }: EmitSource): void {
    for (const [index, emit] of emits.entries()) {
      const source = `emit ${index} of mock "${mockId}"`;
      try {
        const text = emit.to.constant ? emit.to.source : emit.to.render(scope);
        const target = parseTarget(text);
        if (target === undefined) throw new Error(`to ${describeTarget(text)}`);
        const push = { ...target, data: emit.data.render(scope), source, log };
        if (emit.delay === 0) this.#add(push);
        else this.#addLater(push, emit.delay);
      } catch (thrown) {
        log.warn(`${source} was not pushed: ${messageOf(thrown)}`);
      }
    }
  }

  /** Renders what a mock emits, for hosts that push it together. What cannot be is a line of the log. */
  *render(
    emits: readonly CompiledEmit[],
    { mockId, scope, log }: EmitSource,
  ): Generator<EmitTarget & Pick<Push, 'data'> & { readonly delay: number }> {
    for (const [index, emit] of emits.entries()) {
      try {
        const text = emit.to.constant ? emit.to.source : emit.to.render(scope);
        const target = parseTarget(text);
        if (target === undefined) throw new Error(`to ${describeTarget(text)}`);
        yield { ...target, data: emit.data.render(scope), delay: emit.delay };
      } catch (thrown) {
        log.warn(`emit ${index} of mock "${mockId}" was not pushed: ${messageOf(thrown)}`);
      }
    }
  }

  /** Pushes what this host or another one has rendered. What cannot be pushed is a line of the log. */
  pushRendered(
    push: Omit<Push, 'source'> & { readonly delay: number },
    { mockId }: Pick<EmitSource, 'mockId'>,
  ): void {
    const { kind, id, data, delay, log } = push;
    const source = `an emit of mock "${mockId}"`;
    try {
      if (delay === 0) this.#add({ kind, id, data, log, source });
      else this.#addLater({ kind, id, data, log, source }, delay);
    } catch (thrown) {
      log.warn(`${source} was not pushed: ${messageOf(thrown)}`);
    }
  }

  /**
   * Pushes data as it is.
   *
   * @throws BacklotError `invalid` for what is no target, and for data that its kind does not take
   */
  push(to: string, data: unknown, { mockId, log }: Pick<EmitSource, 'mockId' | 'log'>): void {
    const target = readTarget(to);
    const [problem] = this.#streams.problemsOf(target.kind, data);
    if (problem !== undefined)
      throw invalid(`data for ${target.kind}${problem.path.replaceAll('/', '.')} ${problem.message}`);
    this.#add({ ...target, data, source: `a push of mock "${mockId}"`, log });
  }

  /** The ids of the open streams that a target means. @throws BacklotError `invalid` for what is no target */
  open(to: string): readonly string[] {
    const { kind, id } = readTarget(to);
    return this.#streams.idsOf(kind, id);
  }

  /** Drops what has not been pushed. */
  clear(): void {
    for (const waiting of this.#waits) waiting.cancel();
    this.#waits.clear();
    this.#queue = [];
    this.#waitingSize = 0;
  }

  #addLater(push: Push, delay: number): void {
    const size = sizeOf(push.data);
    this.#checkRoom(size);
    this.#waitingSize += size;
    const waiting = this.#clock.after(delay, () => {
      this.#waits.delete(waiting);
      this.#waitingSize -= size;
      this.#add(push);
    });
    this.#waits.add(waiting);
  }

  #checkRoom(size: number): void {
    if (this.#waits.size >= MAX_WAITING) throw new Error(`${MAX_WAITING} pushes wait already`);
    if (this.#waitingSize + size > MAX_WAITING_SIZE)
      throw new Error(`the pushes that wait hold more than ${MAX_WAITING_SIZE / 1024 / 1024} MiB`);
  }

  #add(push: Push): void {
    if (this.#queue.length >= MAX_WAITING) {
      push.log.warn(`${push.source} was not pushed: ${MAX_WAITING} pushes wait already`);
      return;
    }
    this.#queue.push(push);
    if (this.#isRunning) return;
    this.#isRunning = true;
    const running = runInSlices(this.#run());
    const end = (): void => void (this.#isRunning = false);
    if (running === undefined) end();
    else void running.then(end);
  }

  *#run(): Generator<undefined, undefined> {
    for (let push = this.#queue.shift(); push !== undefined; push = this.#queue.shift())
      yield* this.#push(push);
    return undefined;
  }

  *#push({ kind, id, data, source, log }: Push): Generator<undefined> {
    let problem: string | undefined;
    try {
      for (const push of this.#streams.pushes(kind, id, data)) {
        try {
          push();
        } catch (thrown) {
          problem ??= messageOf(thrown);
        }
        yield;
      }
    } catch (thrown) {
      problem = messageOf(thrown);
    }
    if (problem !== undefined) log.warn(`${source} was not pushed into ${kind}/${id}: ${problem}`);
  }
}

function readTarget(to: string): EmitTarget {
  const target = parseTarget(String(to));
  if (target === undefined) throw invalid(`the target of a push ${describeTarget(String(to))}`);
  return target;
}

/** Roughly what data holds in memory. */
function sizeOf(data: unknown): number {
  let size = 0;
  const left = [data];
  while (left.length > 0) {
    const value = left.pop();
    size += VALUE_SIZE;
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        size += key.length;
        left.push(inner);
      }
    }
  }
  return size;
}
