import { newId } from '../random/new-id.js';
import type { OpenStream, StreamControl } from '../contract/context.js';
import type { StreamCollection, StreamTarget, StreamView } from '../contract/host.js';
import { BacklotError, invalid, type Problem } from '../errors.js';
import type { Feed } from '../pipeline/feed.js';
import type { Clock } from '../time/clock.js';
import type { Validator } from '../validation/validator.js';

interface Held {
  readonly view: StreamView;
  readonly control: StreamControl<unknown>;
}

/** What is known of a kind that has streams. */
interface StreamKind {
  readonly data: Validator;
  /** Whether its streams are connections, which outlive a reset. */
  readonly areConnections: boolean;
  /** The open ones by their mocks. */
  readonly byMock: Map<string, Set<Held>>;
}

/** The open streaming answers of all kinds. */
export class StreamStore implements StreamCollection {
  readonly #held = new Map<string, Held>();
  readonly #kinds = new Map<string, StreamKind>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes a kind known as one that has streams.
   *
   * @param areConnections - whether they outlive a reset, and end with their service
   */
  declare(kind: string, data: Validator, areConnections = false): void {
    this.#kinds.set(kind, { data, areConnections, byMock: new Map() });
  }

  kinds(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** @param feed - what goes on sending into it */
  open(kind: string, mockId: string, control: StreamControl<unknown>, feed?: Feed): OpenStream {
    const id = newId();
    const view = {
      id,
      protocol: kind,
      mock_id: mockId,
      started_at: new Date(this.#clock.now()).toISOString(),
    };
    const held = { view, control };
    this.#held.set(id, held);
    const byMock = this.#kinds.get(kind)?.byMock;
    const others = byMock?.get(mockId);
    if (others === undefined) byMock?.set(mockId, new Set([held]));
    else others.add(held);
    feed?.start({
      push: (data) => {
        this.#checkData(kind, data);
        control.push(data);
      },
      close: (error, cause) => this.#end(held, error, cause),
    });
    return {
      id,
      closed: () => {
        this.#remove(held);
        feed?.stop();
      },
    };
  }

  list(): readonly StreamView[] {
    return [...this.#held.values()].map((held) => held.view);
  }

  push(target: StreamTarget, data: unknown): number {
    this.#checkTarget(target);
    this.#checkData(target.protocol, data);
    const streams = this.#find(target);
    for (const held of streams) held.control.push(data);
    return streams.length;
  }

  /**
   * Ways to send data into each open stream of a mock, or into the one with this id; none is open when there is none.
   *
   * @throws BacklotError `invalid` for data that is not valid or a kind without streams
   */
  pushes(kind: string, id: string, data: unknown): (() => void)[] {
    this.#checkData(kind, data);
    return [...this.#ofMock(kind, id), ...this.#one(kind, id)].map(
      ({ view, control }) =>
        () =>
          // It may have ended since.
          this.#held.has(view.id) ? control.push(data) : undefined,
    );
  }

  /** The ids of the open streams of a mock, or of the one with this id; none for a kind without streams. */
  idsOf(kind: string, id: string): readonly string[] {
    return [...this.#ofMock(kind, id), ...this.#one(kind, id)].map(({ view }) => view.id);
  }

  /** What is wrong with data for a kind that has streams. */
  problemsOf(kind: string, data: unknown): readonly Problem[] {
    return this.#kind(kind).data.check(data);
  }

  close(target: StreamTarget, error: string | undefined): number {
    this.#checkTarget(target);
    const streams = this.#find(target);
    for (const held of streams) this.#end(held, error === '' ? undefined : error);
    return streams.length;
  }

  /** Ends every stream of a protocol normally, also those that are connections. */
  closeOf(protocol: string): void {
    for (const held of [...this.#held.values()])
      if (held.view.protocol === protocol) this.#end(held, undefined);
  }

  /** Ends every stream normally, but for those that are connections. */
  closeAll(): void {
    for (const held of [...this.#held.values()]) {
      if (this.#kinds.get(held.view.protocol)?.areConnections !== true) this.#end(held, undefined);
    }
  }

  #end(held: Held, error: string | undefined, cause?: unknown): void {
    this.#remove(held);
    held.control.close(error, cause);
  }

  #remove(held: Held): void {
    const { id, protocol, mock_id: mockId } = held.view;
    if (!this.#held.delete(id)) return;
    const byMock = this.#kinds.get(protocol)?.byMock;
    const others = byMock?.get(mockId);
    others?.delete(held);
    if (others?.size === 0) byMock?.delete(mockId);
  }

  #kind(kind: string): StreamKind {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    throw invalid(
      `protocol "${kind}" has no streams; those that have are ${this.kinds().join(', ') || 'none'}`,
    );
  }

  #checkData(kind: string, data: unknown): void {
    const problems = this.#kind(kind).data.check(data, '/data');
    const [problem] = problems;
    if (problem !== undefined) throw invalid(`data for ${kind} ${problem.message}`, problems);
  }

  #checkTarget(target: StreamTarget): void {
    this.#kind(target.protocol);
    if ((target.conn_id === undefined) === (target.mock_id === undefined)) {
      throw invalid('give either "conn_id" or "mock_id", not both and not neither');
    }
  }

  #find(target: StreamTarget): Held[] {
    const { protocol, conn_id: connectionId, mock_id: mockId } = target;
    const found =
      connectionId === undefined ? this.#ofMock(protocol, mockId ?? '') : this.#one(protocol, connectionId);
    if (found.length > 0) return found;
    throw new BacklotError(
      'not_found',
      connectionId === undefined
        ? `no open ${protocol} stream for mock "${mockId ?? ''}"`
        : `no open ${protocol} stream "${connectionId}"`,
    );
  }

  #ofMock(kind: string, mockId: string): Held[] {
    return [...(this.#kinds.get(kind)?.byMock.get(mockId) ?? [])];
  }

  #one(kind: string, id: string): Held[] {
    const held = this.#held.get(id);
    return held?.view.protocol === kind ? [held] : [];
  }
}
