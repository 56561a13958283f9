import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { LEASE, PATIENCE } from './log.js';
import { codeOf, makeStream, NO_STREAM, NONE_FOUND, WRONG_LAST } from './nats-streams.js';

const NANOSECONDS = 1_000_000;

interface Held {
  readonly seq: number;
  readonly holder: string;
}

/**
 * A lease as a message that its stream forgets by itself. Whoever takes it says which message it has seen, so that one alone succeeds. Who has
 * taken it last is in a stream that forgets nothing.
 */
export class NatsLease {
  readonly #streams: readonly { readonly name: string; readonly subject: string; readonly lasts?: number }[];

  constructor(
    private readonly client: JetStreamClient,
    private readonly manager: JetStreamManager,
    name: string,
    stream: string,
  ) {
    this.#streams = [
      { name: `${stream}_lease`, subject: `backlot.${name}.lease`, lasts: LEASE * NANOSECONDS },
      { name: `${stream}_home`, subject: `backlot.${name}.home` },
    ];
  }

  /** See `CommandLog.takeLease`. */
  async take(holder: string): Promise<{ readonly before: string | undefined } | undefined> {
    const held = await this.#last(0);
    if (held !== undefined && held.holder !== holder) return undefined;
    const before = await this.#last(1);
    try {
      await this.#put(0, holder, held);
    } catch (thrown) {
      if (codeOf(thrown) !== WRONG_LAST) throw thrown;
      const now = await this.#last(0);
      if (now !== undefined && now.holder !== holder) return undefined;
      // What this process had sent before has come now; from when on it counts is not known.
      throw new Error('the lease was taken by an earlier attempt', { cause: thrown });
    }
    if (before?.holder !== holder) await this.#put(1, holder, before);
    return { before: before?.holder };
  }

  /** See `CommandLog.dropLease`. */
  async drop(holder: string): Promise<void> {
    const held = await this.#last(0);
    if (held?.holder !== holder) return;
    await this.manager.streams.deleteMessage(this.#streams[0]?.name ?? '', held.seq, false);
  }

  async #put(index: number, holder: string, last: Held | undefined): Promise<void> {
    const { subject = '' } = this.#streams[index] ?? {};
    const expect = { lastSubjectSequence: last?.seq ?? 0 };
    await this.client.publish(subject, holder, { expect, timeout: PATIENCE });
  }

  async #last(index: number): Promise<Held | undefined> {
    const { name = '', subject = '', lasts } = this.#streams[index] ?? {};
    try {
      const found = await this.manager.streams.getMessage(name, { last_by_subj: subject });
      return found === null ? undefined : { seq: found.seq, holder: found.string() };
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code === NONE_FOUND) return undefined;
      if (code !== NO_STREAM) throw thrown;
      await makeStream(this.manager, {
        ...{ name, subjects: [subject], max_msgs_per_subject: 1, discard: 'old' },
        ...(lasts === undefined ? {} : { max_age: lasts, duplicate_window: lasts }),
      });
      return undefined;
    }
  }
}
