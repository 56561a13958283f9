import type { CallBook, CallsView, JournalFilter, JournalItem } from '../contract/journal.js';
import { BacklotError } from '../errors.js';
import type { Journal } from '../journal/journal.js';
import type { MockStore } from '../mocks/mock-store.js';
import { CaptureSearch } from '../stores/capture-search.js';
import type { KindRuntime } from './runtime.js';
import { Waits } from './waits.js';

/** The calls of one kind's mocks, and those who wait for them. */
export class Calls implements CallBook {
  readonly #runtime: KindRuntime;
  readonly #mocks: MockStore;
  readonly #journal: Journal;
  readonly #waits = new Waits();

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
    for (const exchange of this.#runtime.underWay.of(mockId)) exchange.show();
    const calls = this.#journal.items({ ...filter, protocol: this.#runtime.kind, matchedId: mockId });
    return { mock_id: mockId, count: this.#mocks.findCounter(mockId)?.calls ?? 0, calls };
  }

  counts(): Iterable<readonly [mockId: string, count: number]> {
    return this.#runtime.counts.called();
  }

  wait(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<CallsView> {
    return this.#wait(mockId, count, timeout, signal, () => this.of(mockId));
  }

  waitUntilCalled(mockId: string, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    return this.#wait(mockId, count, timeout, signal, () => undefined);
  }

  async waitUntilFits(
    mockId: string,
    fits: (item: JournalItem) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly JournalItem[]> {
    const filter = { protocol: this.#runtime.kind, matchedId: mockId };
    // An exchange may be shown before its end, and is looked at again then.
    const found = new Set<string>();
    const fitsAnew = function* (value: unknown): Generator<unknown, boolean> {
      const item = value as JournalItem;
      if (found.has(item.id)) return false;
      const isFound = yield* { [Symbol.iterator]: () => fits(item) };
      if (isFound) found.add(item.id);
      return isFound;
    };
    const search = new CaptureSearch(this.#journal.items(filter), fitsAnew, count);
    const items = await this.#waits.until({
      look: () => search.look(),
      listen: (look) => {
        const ended = new AbortController();
        const add = (item: JournalItem): void => search.add(item, look, ended.signal);
        const forget = this.#journal.subscribe(filter, add, true);
        search.goOn(look, ended.signal);
        return () => {
          forget();
          ended.abort();
        };
      },
      timeout,
      settled: () => search.settled(),
      signal,
      name: `"${mockId}"`,
      late: () => {
        const got = search.count;
        const text = `${got} ${got === 1 ? 'call' : 'calls'} of "${mockId}" ${got === 1 ? 'fits' : 'fit'}, want ${count}`;
        return new BacklotError('timeout', text, { fields: { mock_id: mockId, want: count, got } });
      },
    });
    return items as readonly JournalItem[];
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
    return this.#waits.until({
      look: () => (counter.calls < count ? undefined : { value: read() }),
      listen: (look) => counter.onCall(look),
      timeout,
      signal,
      name: `"${mockId}"`,
      late: () => {
        const text = `"${mockId}" was called ${counter.calls} ${counter.calls === 1 ? 'time' : 'times'}, want ${count}`;
        return new BacklotError('timeout', text, {
          fields: { mock_id: mockId, want: count, got: counter.calls },
        });
      },
    });
  }

  recall(mockId: string, count: number): void {
    if (this.#mocks.has(mockId)) this.#mocks.counterOf(mockId).calls = count;
  }

  add(mockId: string, calls: number): void {
    const counter = this.#mocks.findCounter(mockId);
    if (counter === undefined) return;
    counter.calls = Math.max(0, counter.calls + calls);
    counter.wake();
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
    this.#waits.cancel('everything was reset while this waited');
  }
}
