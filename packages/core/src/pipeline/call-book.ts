import type { CallBook, CallsView, JournalFilter, JournalItem } from '../contract/journal.js';
import { BacklotError } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { MockStore } from '../mocks/mock-store.js';
import { afterRealTime } from '../time/clock-real.js';
import type { KindRuntime } from './runtime.js';

/** The calls of one kind's mocks, and those who wait for them. */
export class Calls implements CallBook {
  readonly #runtime: KindRuntime;
  readonly #mocks: MockStore;
  readonly #journal: Journal;
  readonly #waiting = new Set<(reason: BacklotError) => void>();

  constructor(runtime: KindRuntime, mocks: MockStore, journal: Journal) {
    this.#runtime = runtime;
    this.#mocks = mocks;
    this.#journal = journal;
  }

  of(mockId: string): CallsView {
    const { calls, ...rest } = this.items(mockId);
    return { ...rest, calls: calls.map((call) => call.render()) };
  }

  items(mockId: string, filter: Pick<JournalFilter, 'after' | 'limit'> = {}): CallsView<JournalItem> {
    // Calls count when they are matched, so those under way belong to them: being asked for gives them their place.
    const underWay = [];
    for (let exchange = this.#runtime.newestUnderWay; exchange !== undefined; exchange = exchange.older) {
      if (exchange.matchedId === mockId) underWay.push(exchange);
    }
    for (const exchange of underWay.reverse()) exchange.show();
    const calls = this.#journal.items({ ...filter, protocol: this.#runtime.kind, matchedId: mockId });
    return { mock_id: mockId, count: this.#mocks.findCounter(mockId)?.calls ?? 0, calls };
  }

  wait(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<CallsView> {
    return this.#wait(mockId, count, timeout, signal, () => this.of(mockId));
  }

  waitUntilCalled(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    return this.#wait(mockId, count, timeout, signal, () => undefined);
  }

  /** @param read - makes the result at the very call that was waited for */
  #wait<T>(
    mockId: string,
    count: number,
    timeout: number,
    signal: AbortSignal | undefined,
    read: () => T,
  ): Promise<T> {
    const counter = this.#mocks.counterOf(mockId);
    if (counter.calls >= count) return Promise.resolve(read());
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        forget();
        this.#waiting.delete(fail);
        signal?.removeEventListener('abort', leave);
      };
      const fail = (reason: BacklotError): void => {
        end();
        reject(reason);
      };
      const wake = (): void => {
        if (counter.calls < count) return;
        end();
        resolve(read());
      };
      const leave = (): void => fail(new BacklotError('cancelled', `the wait for "${mockId}" was given up`));
      const timer = afterRealTime(timeout, () => {
        const fields = { mock_id: mockId, want: count, got: counter.calls };
        fail(
          new BacklotError(
            'timeout',
            `"${mockId}" was called ${counter.calls} ${counter.calls === 1 ? 'time' : 'times'}, want ${count}`,
            {
              fields,
            },
          ),
        );
      });
      const forget = counter.onCall(wake);
      this.#waiting.add(fail);
      signal?.addEventListener('abort', leave);
      if (signal?.aborted === true) leave();
    });
  }

  clear(mockId: string): void {
    this.#journal.clearOf(this.#runtime.kind, mockId);
    this.#mocks.clearCalls();
  }

  clearAll(): void {
    this.#journal.clearOf(this.#runtime.kind);
    this.#mocks.clearCalls();
  }

  /** Ends every wait: what they wait for begins anew. */
  cancelWaits(): void {
    for (const fail of [...this.#waiting])
      fail(new BacklotError('cancelled', 'everything was reset while this waited'));
  }
}
