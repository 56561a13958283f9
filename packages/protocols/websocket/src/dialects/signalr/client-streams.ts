import type { Heard } from '../dialect.js';

/** Streams of one client that may be open at one time. */
const MAX_STREAMS = 100;
/** Items of all streams of an invocation, and their characters or bytes. */
const MAX_ITEMS = 10_000;
const MAX_SIZE = 1024 * 1024;

type Call = Extract<Heard, { type: 'call' }>;

/** An invocation that waits for what its client streams to it. */
interface Upload {
  /** Makes the call of it, with the items of each stream. */
  readonly call: (lists: readonly (readonly unknown[])[]) => Call;
  readonly invocationId: string | undefined;
  readonly streams: ReadonlyMap<string, unknown[]>;
  open: number;
  items: number;
  size: number;
}

/** Why an invocation is not called. */
export interface UploadFailure {
  readonly invocationId: string | undefined;
  readonly error: string;
}

/** What clients stream to invocations, which mocks see when all of it has come. */
export class ClientStreams {
  readonly #byStream = new Map<string, Upload>();

  /**
   * Begins to wait.
   *
   * @param call - makes the call, with a list of items for each stream
   * @returns why it cannot be
   */
  begin(
    ids: readonly unknown[],
    invocationId: string | undefined,
    call: Upload['call'],
  ): UploadFailure | undefined {
    const streams = new Map<string, unknown[]>();
    for (const id of ids) {
      if (typeof id !== 'string' || streams.has(id) || this.#byStream.has(id))
        return { invocationId, error: `The stream id ${JSON.stringify(id)} is no text or is in use.` };
      streams.set(id, []);
    }
    if (this.#byStream.size + streams.size > MAX_STREAMS)
      return { invocationId, error: `More than ${MAX_STREAMS} streams of a client are open.` };
    const upload: Upload = { call, invocationId, streams, open: streams.size, items: 0, size: 0 };
    for (const id of streams.keys()) this.#byStream.set(id, upload);
    return undefined;
  }

  /** An item has come. @returns why the invocation is given up */
  add(id: unknown, item: unknown, size: number): UploadFailure | undefined {
    const upload = this.#find(id);
    if (upload === undefined) return undefined;
    upload.items += 1;
    upload.size += size;
    upload.streams.get(id as string)?.push(item);
    if (upload.items <= MAX_ITEMS && upload.size <= MAX_SIZE) return undefined;
    const error = `The streams have more than ${MAX_ITEMS} items or ${MAX_SIZE} bytes.`;
    return this.#giveUp(upload, error);
  }

  /** A stream has ended. @returns the call when it was the last one of its invocation, or why it is given up */
  end(id: unknown, error: unknown): Call | UploadFailure | undefined {
    const upload = this.#find(id);
    if (upload === undefined) return undefined;
    if (error !== undefined && error !== null)
      return this.#giveUp(
        upload,
        `The client ended its stream with an error: ${typeof error === 'string' ? error : JSON.stringify(error)}`,
      );
    this.#byStream.delete(id as string);
    upload.open -= 1;
    return upload.open > 0 ? undefined : upload.call([...upload.streams.values()]);
  }

  /** The client wants no answer to an invocation any more. */
  cancel(invocationId: unknown): void {
    for (const upload of new Set(this.#byStream.values()))
      if (upload.invocationId === invocationId && invocationId !== undefined) this.#giveUp(upload, '');
  }

  #find(id: unknown): Upload | undefined {
    return typeof id === 'string' ? this.#byStream.get(id) : undefined;
  }

  #giveUp({ streams, invocationId }: Upload, error: string): UploadFailure {
    for (const id of streams.keys()) this.#byStream.delete(id);
    return { invocationId, error };
  }
}
