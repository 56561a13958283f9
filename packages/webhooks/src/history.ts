import type { WebhookAttempt } from '@backlot/core';

const MAX_RECORDS = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Gives the journal entry of an attempt once there is one. */
export type LogId = () => string | undefined;

interface Held {
  attempt: WebhookAttempt;
  logId: LogId | undefined;
  readonly bytes: number;
}

/** The newest attempts, bounded by count and bytes. */
export class History {
  #held: Held[] = [];
  #bytes = 0;
  readonly #listeners = new Set<(attempt: WebhookAttempt) => void>();

  /** Calls back with each attempt that is added. @returns a function that ends it */
  onAdd(listener: (attempt: WebhookAttempt) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param logId - asked again when the history is read, because an entry may come after its webhook */
  add(attempt: WebhookAttempt, logId: LogId | undefined): void {
    const held = { attempt, logId, bytes: bytesOf(attempt) };
    resolve(held);
    this.#held.push(held);
    this.#bytes += held.bytes;
    let drop = 0;
    while (
      this.#held.length - drop > MAX_RECORDS ||
      (this.#bytes > MAX_BYTES && this.#held.length - drop > 1)
    ) {
      this.#bytes -= this.#held[drop]?.bytes ?? 0;
      drop += 1;
    }
    if (drop > 0) this.#held.splice(0, drop);
    for (const listener of this.#listeners) listener(held.attempt);
  }

  /** Oldest first. */
  list(): readonly WebhookAttempt[] {
    return this.#held.map(resolve);
  }

  clear(): void {
    this.#held = [];
    this.#bytes = 0;
  }
}

function resolve(held: Held): WebhookAttempt {
  const id = held.logId?.();
  if (id !== undefined) {
    const { id: own, mock_id: mockId, ...rest } = held.attempt;
    held.attempt = { id: own, ...(mockId === undefined ? {} : { mock_id: mockId }), log_id: id, ...rest };
    // It holds the exchange with its message.
    held.logId = undefined;
  }
  return held.attempt;
}

function bytesOf(attempt: WebhookAttempt): number {
  const { url, request_headers: headers, request_body: body, response_body: answer, error } = attempt;
  let characters = 200 + url.length + (body?.length ?? 0) + (answer?.length ?? 0) + (error?.length ?? 0);
  for (const [name, value] of Object.entries(headers)) characters += name.length + value.length;
  return characters * 2;
}
