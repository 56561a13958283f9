import { newId } from '../random/new-id.js';
import type { OpenStream, StreamControl } from '../contract/context.js';
import type { StreamCollection, StreamTarget, StreamView } from '../contract/host.js';
import { BacklotError, invalid } from '../errors.js';
import type { Clock } from '../time/clock.js';
import type { Validator } from '../validation/validator.js';

interface Held {
  readonly view: StreamView;
  readonly control: StreamControl<unknown>;
}

/** The open streaming answers of all kinds. */
export class StreamStore implements StreamCollection {
  readonly #held = new Map<string, Held>();
  readonly #kinds = new Map<string, Validator>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a kind known as one that has streams. */
  declare(kind: string, data: Validator): void {
    this.#kinds.set(kind, data);
  }

  kinds(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  open(kind: string, mockId: string, control: StreamControl<unknown>): OpenStream {
    const id = newId();
    const view = {
      id,
      protocol: kind,
      mock_id: mockId,
      started_at: new Date(this.#clock.now()).toISOString(),
    };
    this.#held.set(id, { view, control });
    return { id, closed: () => void this.#held.delete(id) };
  }

  list(): readonly StreamView[] {
    return [...this.#held.values()].map((held) => held.view);
  }

  push(target: StreamTarget, data: unknown): number {
    const validator = this.#validatorOf(target);
    const [problem] = validator.check(data, '/data');
    if (problem !== undefined) {
      throw invalid(`data for ${target.protocol} ${problem.message}`, validator.check(data, '/data'));
    }
    const streams = this.#find(target);
    for (const held of streams) held.control.push(data);
    return streams.length;
  }

  close(target: StreamTarget, error: string | undefined): number {
    this.#validatorOf(target);
    const streams = this.#find(target);
    for (const held of streams) this.#end(held, error === '' ? undefined : error);
    return streams.length;
  }

  /** Ends every stream normally. */
  closeAll(): void {
    for (const held of [...this.#held.values()]) this.#end(held, undefined);
  }

  #end(held: Held, error: string | undefined): void {
    this.#held.delete(held.view.id);
    held.control.close(error);
  }

  #validatorOf(target: StreamTarget): Validator {
    const validator = this.#kinds.get(target.protocol);
    if (validator === undefined) {
      throw invalid(
        `protocol "${target.protocol}" has no streams; those that have are ${this.kinds().join(', ') || 'none'}`,
      );
    }
    if ((target.conn_id === undefined) === (target.mock_id === undefined)) {
      throw invalid('give either "conn_id" or "mock_id", not both and not neither');
    }
    return validator;
  }

  #find(target: StreamTarget): Held[] {
    const { protocol, conn_id: connectionId, mock_id: mockId } = target;
    const found = [...this.#held.values()].filter(
      ({ view }) =>
        view.protocol === protocol &&
        (connectionId === undefined ? view.mock_id === mockId : view.id === connectionId),
    );
    if (found.length > 0) return found;
    throw new BacklotError(
      'not_found',
      connectionId === undefined
        ? `no open ${protocol} stream for mock "${mockId ?? ''}"`
        : `no open ${protocol} stream "${connectionId}"`,
    );
  }
}
