import type { Socket as DatagramSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { BacklotError, messageOf } from '@backlot/core/plugin';

/** What a message may carry to another process. */
export type Carried = Socket | DatagramSocket;

/** One end of the connection between a process and the one that has started it. */
export interface ProcessEnd {
  send(
    message: unknown,
    carried: Carried | undefined,
    options: { readonly keepOpen?: boolean },
    sent: (error: Error | null) => void,
  ): unknown;
  on(event: 'message', listener: (message: unknown, carried: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

type Answer =
  { readonly value: unknown } | { readonly error: string; readonly code?: string; readonly isOwn?: true };

type Sent =
  | { readonly ask: number; readonly what: string; readonly given: unknown }
  | { readonly answer: number; readonly outcome: Answer }
  | { readonly tell: string; readonly given: unknown };

type Handler = (given: never, carried: never) => unknown;

/** Questions, their answers and notices between two processes. */
export class Channel {
  readonly #end: ProcessEnd;
  readonly #handlers = new Map<string, Handler>();
  readonly #asked = new Map<number, (outcome: Answer) => void>();
  #count = 0;
  #isOpen = true;

  constructor(end: ProcessEnd) {
    this.#end = end;
    end.on('message', (message, carried) => {
      // Libraries in a process may send words of their own to the one that has started it.
      if (isSent(message)) this.#receive(message, carried);
    });
    end.once('disconnect', () => this.#close());
  }

  /** Whether the other process is there. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Takes what the other one asks, or tells, under a name; what it gives, or throws, is the answer. */
  on(what: string, handler: Handler): this {
    this.#handlers.set(what, handler);
    return this;
  }

  /** @throws Error what the other process has thrown; that it has gone */
  ask(what: string, given?: unknown, carried?: Carried): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#count += 1;
      const ask = this.#count;
      this.#asked.set(ask, (outcome) => {
        this.#asked.delete(ask);
        if ('value' in outcome) resolve(outcome.value);
        else reject(errorOf(outcome));
      });
      if (this.#isOpen) this.#send({ ask, what, given }, carried);
      else this.#asked.get(ask)?.({ error: 'the other process has gone' });
    });
  }

  /** @param failed - called when it has not arrived */
  tell(what: string, given?: unknown, carried?: Carried, failed?: () => void): void {
    if (this.#isOpen) this.#send({ tell: what, given }, carried, failed);
    else failed?.();
  }

  #send(message: Sent, carried?: Carried, failed?: () => void): void {
    this.#end.send(message, carried, {}, (error) => {
      if (error !== null) failed?.();
    });
  }

  #receive(message: Sent, carried: unknown): void {
    if ('answer' in message) this.#asked.get(message.answer)?.(message.outcome);
    else if ('tell' in message) {
      if (this.#handlers.has(message.tell)) this.#handle(message.tell, message.given, carried);
    } else {
      void Promise.resolve()
        .then(() => this.#handle(message.what, message.given, carried))
        .then((value): Answer => ({ value }), toAnswer)
        .then((outcome) => {
          if (this.#isOpen) this.#send({ answer: message.ask, outcome });
        });
    }
  }

  #handle(what: string, given: unknown, carried: unknown): unknown {
    const handler = this.#handlers.get(what);
    if (handler === undefined) throw new Error(`nobody takes "${what}" here`);
    return handler(given as never, carried as never);
  }

  #close(): void {
    this.#isOpen = false;
    for (const end of [...this.#asked.values()]) end({ error: 'the other process has gone' });
    this.#handlers.get('gone')?.(undefined as never, undefined as never);
  }
}

function isSent(message: unknown): message is Sent {
  if (typeof message !== 'object' || message === null) return false;
  const { ask, what, answer, outcome, tell } = message as Readonly<Record<string, unknown>>;
  return (
    (typeof ask === 'number' && typeof what === 'string') ||
    (typeof answer === 'number' && typeof outcome === 'object' && outcome !== null) ||
    typeof tell === 'string'
  );
}

function toAnswer(thrown: unknown): Answer {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return {
    error: messageOf(thrown),
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown instanceof BacklotError ? { isOwn: true as const } : {}),
  };
}

function errorOf({ error, code, isOwn }: Extract<Answer, { error: string }>): Error {
  if (isOwn === true) return new BacklotError(code as BacklotError['code'], error);
  return Object.assign(new Error(error), code === undefined ? {} : { code });
}
