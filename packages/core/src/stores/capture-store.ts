import type { Json } from '../contract/given.js';
import type { CaptureDeclaration } from '../contract/captures.js';
import type { TObject } from '../contract/schema.js';
import type {
  CaptureEvent,
  CaptureFollower,
  CapturePieces,
  CaptureReader,
  CaptureStart,
  Captures,
  LazyCapture,
  StoredCapture,
} from '../contract/context.js';
import { BacklotError } from '../errors.js';
import { Waits } from '../pipeline/waits.js';
import { CaptureSearch } from './capture-search.js';
import { Newest, type Held } from './newest.js';

/** How many captured messages are kept when the kind does not say. */
const DEFAULT_CAPTURE_LIMIT = 10_000;
/** How many bytes they may hold together when the kind does not say. */
const DEFAULT_CAPTURE_BYTES = 256 * 1024 * 1024;

/** A snapshot of captured messages. */
export type SavedCaptures = readonly Held[];

/** The messages that a kind took in: the newest ones, bounded by count and bytes. */
export class CaptureStore implements Captures<unknown>, CaptureReader {
  #held = new Newest();
  #bytes = 0;
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #listeners = new Set<(event: CaptureEvent) => void>();
  readonly #followers = new Set<CaptureFollower>();
  readonly #waits = new Waits();
  /** Those who wait for messages, each told of one that is stored. */
  readonly #searches = new Set<(value: unknown) => void>();

  /** @param maxBytes - a single message may be larger */
  constructor(limit: number, maxBytes = DEFAULT_CAPTURE_BYTES) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  /** How many are held. */
  get size(): number {
    return this.#held.size;
  }

  add(value: unknown, bytes: number, exchange: { readonly isCurrent: boolean }): void {
    if (!exchange.isCurrent) return;
    this.#held.push(value, bytes);
    this.#bytes += bytes;
    this.#dropOldest();
    this.#tellFollowers('added', value);
    if (this.#listeners.size > 0) this.#tell(addedEvent(value));
    if (this.#searches.size > 0) for (const search of [...this.#searches]) search(value);
  }

  recall(value: unknown, bytes: number): void {
    this.add(value, bytes, { isCurrent: true });
  }

  values(): readonly unknown[] {
    return this.#held.values().map(read);
  }

  items(): Iterable<StoredCapture> {
    return readEach(this.#held.values());
  }

  clear(): void {
    this.restore([]);
  }

  subscribe(callback: (event: CaptureEvent) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Tells of messages by their `given`; first of those that are stored. */
  follow(follower: CaptureFollower): () => void {
    this.#followers.add(follower);
    this.tellAll(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Tells somebody of all messages that are stored. */
  tellAll(follower: CaptureFollower): void {
    for (const value of this.#held.values()) {
      const given = givenOf(value);
      if (given !== undefined) follower.added(given);
    }
  }

  async wait(
    fits: (message: StoredCapture) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly StoredCapture[]> {
    const search = new CaptureSearch(this.#held.values(), (value) => fits(itemOf(value)), count);
    const found = await this.#waits.until({
      look: () => search.look(),
      listen: (look) => {
        const ended = new AbortController();
        const add = (value: unknown): void => search.add(value, look, ended.signal);
        this.#searches.add(add);
        search.goOn(look, ended.signal);
        return () => {
          this.#searches.delete(add);
          ended.abort();
        };
      },
      timeout,
      settled: () => search.settled(),
      signal,
      name: 'captured messages',
      late: () => {
        const got = search.count;
        const text = `${got} captured ${got === 1 ? 'message fits' : 'messages fit'}, want ${count}`;
        return new BacklotError('timeout', text, { fields: { want: count, got } });
      },
    });
    return found.map(itemOf);
  }

  save(): SavedCaptures {
    return this.#held.held();
  }

  restore(saved: SavedCaptures): void {
    this.#held = new Newest();
    this.#bytes = 0;
    for (const { value, bytes } of saved) {
      this.#held.push(value, bytes);
      this.#bytes += bytes;
    }
    this.#waits.cancel('the captured messages were cleared while this waited');
    this.#tell({ type: 'cleared' });
    if (this.#listeners.size > 0) for (const { value } of saved) this.#tell(addedEvent(value));
    for (const follower of this.#followers) follower.cleared();
  }

  #dropOldest(): void {
    while (this.size > this.#limit || (this.#bytes > this.#maxBytes && this.size > 1)) {
      const { value, bytes } = this.#held.shift();
      this.#bytes -= bytes;
      this.#tellFollowers('dropped', value);
    }
  }

  #tellFollowers(what: 'added' | 'dropped', value: unknown): void {
    if (this.#followers.size === 0) return;
    const given = givenOf(value);
    if (given !== undefined) for (const follower of this.#followers) follower[what](given);
  }

  #tell(event: CaptureEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** The store of a kind, with the bounds of its declaration or configuration. */
export function createCaptures(
  {
    limit = DEFAULT_CAPTURE_LIMIT,
    limitKey,
    bytes = DEFAULT_CAPTURE_BYTES,
    bytesKey,
  }: CaptureDeclaration<TObject>,
  config: Json,
): CaptureStore {
  const configured = (key: string | undefined, otherwise: number): number => {
    const value = key === undefined ? undefined : config[key];
    return typeof value === 'number' ? value : otherwise;
  };
  return new CaptureStore(configured(limitKey, limit), configured(bytesKey, bytes));
}

function* readEach(values: readonly unknown[]): Iterable<StoredCapture> {
  for (const value of values) yield itemOf(value);
}

function itemOf(value: unknown): StoredCapture {
  return {
    get id() {
      return idOf(value);
    },
    get given() {
      return givenOf(value);
    },
    read: () => read(value),
    readStart: (most) => readStart(value, most),
    readPieces: () => readPieces(value),
    readAttachment: isLazy(value) ? value.captureAttachment?.bind(value) : undefined,
  };
}

/** Several may ask for the shown form, which is made once; what nobody asks for is not made. */
function addedEvent(value: unknown): CaptureEvent {
  let shown: { readonly value: unknown } | undefined;
  return {
    type: 'added',
    item: itemOf(value),
    get value() {
      return (shown ??= { value: read(value) }).value;
    },
  };
}

function idOf(value: unknown): string {
  if (isLazy(value) && value.captureId !== undefined) return value.captureId;
  const made = read(value) as { readonly id?: unknown } | null | undefined;
  return typeof made?.id === 'string' ? made.id : '';
}

function read(value: unknown): unknown {
  return isLazy(value) ? value.capture() : value;
}

function readStart(value: unknown, most: number): CaptureStart {
  return (isLazy(value) ? value.captureStart?.(most) : undefined) ?? { shown: read(value), lengths: {} };
}

function readPieces(value: unknown): CapturePieces {
  return (isLazy(value) ? value.capturePieces?.() : undefined) ?? { shown: read(value), texts: {} };
}

function givenOf(value: unknown): unknown {
  return isLazy(value) ? value.given : undefined;
}

function isLazy(value: unknown): value is LazyCapture<unknown> {
  return (
    typeof value === 'object' && value !== null && 'capture' in value && typeof value.capture === 'function'
  );
}
