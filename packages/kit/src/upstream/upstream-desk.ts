import type { Exchange, Log, Message, Outcome, Upstream, UpstreamNote } from '@backlot/core/plugin';
import {
  RecordingBook,
  type RecordedMocks,
  type RecordedPair,
  type RecordingForm,
} from '../recording/recording-book.js';
import { UpstreamLog } from './upstream-log.js';

/** What a desk reads of a protocol's context. */
export interface DeskContext {
  readonly mocks: RecordedMocks;
  readonly log: Pick<Log, 'warn'>;
}

/** How a kind takes part in what is decided. */
export interface DeskOptions {
  readonly form: RecordingForm;
  /**
   * Whether the upstream also answers in mode `diff` what no mock does: for kinds whose connections and data have a state that
   * is to be the same there.
   */
  readonly keepsState?: boolean;
}

/** Who answers a message: the kind itself, its upstream, or the kind once the upstream was asked as well. */
export type Answerer = 'own' | 'upstream' | 'both';

/** What of an exchange a desk needs. */
export type DeskExchange = Pick<
  Exchange<Message>,
  'message' | 'resolve' | 'noteUpstream' | 'isCurrent' | 'ended'
>;

/** The most reasons for which answers were not kept that are remembered, so that each is told once. */
const MAX_REASONS = 100;

/** Decides by the mode of an upstream who answers a message, and keeps what the upstream has answered. One for each service. */
export class UpstreamDesk {
  readonly mode: Upstream['mode'];
  /** Says when the upstream fails. */
  readonly upstreamLog: UpstreamLog;
  readonly #log: DeskContext['log'];
  readonly #book: RecordingBook | undefined;
  readonly #keepsState: boolean;
  /** Why answers were not kept, as far as it was told. */
  readonly #told = new Set<string>();

  constructor({ mocks, log }: DeskContext, upstream: Upstream, { form, keepsState = false }: DeskOptions) {
    this.mode = upstream.mode;
    this.#log = log;
    this.#keepsState = keepsState;
    this.upstreamLog = new UpstreamLog(upstream, (text) => log.warn(text));
    if (upstream.mode === 'record_new' || upstream.mode === 'record_all')
      this.#book = new RecordingBook({ mocks, log, replaces: upstream.mode === 'record_all', form });
  }

  /** Whether what the upstream answers becomes mocks. */
  get records(): boolean {
    return this.#book !== undefined;
  }

  /** Whether mocks are asked about a message. @param key - of its recording, where it can have one */
  asksMocks(key: string | undefined): boolean {
    if (this.mode === 'passthrough' || this.mode === 'record_all') return false;
    return key === undefined || this.#book?.has(key) !== true;
  }

  /** Who answers, once that is decided. */
  answererOf(outcome: Outcome): Answerer {
    const mocks =
      outcome.type === 'matched' ? [outcome] : outcome.type === 'all' ? outcome.matches : undefined;
    if (this.mode === 'diff') {
      if (mocks !== undefined) return 'both';
      return this.#keepsState && outcome.type === 'unmatched' ? 'upstream' : 'own';
    }
    // A mock that was recorded a moment ago may match more than it was recorded for, as one of GET does HEAD.
    if (mocks?.every(({ mock }) => this.#book?.made(mock.id) === true) === true) return 'upstream';
    return outcome.type === 'unmatched' ? 'upstream' : 'own';
  }

  /**
   * Makes mocks of an answer of the upstream, and notes that in the exchange.
   *
   * @param patterns - what of the message became patterns, and by which rules
   */
  record(exchange: DeskExchange, pairs: readonly RecordedPair[], patterns: readonly string[] = []): void {
    const note: UpstreamNote = { answered: true };
    // After a reset it would be a mock of a world that is gone.
    const book = exchange.isCurrent ? this.#book : undefined;
    const [id] = pairs.map((pair) => book?.add(pair));
    exchange.noteUpstream(
      id === undefined ? note : { ...note, recorded_id: id, ...(patterns.length === 0 ? {} : { patterns }) },
    );
  }

  /** More of an answer has come that was recorded. @param key - of its pair */
  amend(exchange: DeskExchange, key: string, answer: unknown): void {
    if (exchange.isCurrent) this.#book?.amend(key, answer);
  }

  /** Has the answer that was recorded last given so often and no more. @param key - of its pair */
  limit(key: string, times: number): void {
    this.#book?.limit(key, times);
  }

  /** Says why an answer is not kept, once for each reason. */
  tell({ message: { method, path } }: DeskExchange, verb: string, reason: string): void {
    if (this.#told.has(reason) || this.#told.size >= MAX_REASONS) return;
    this.#told.add(reason);
    this.#log.warn(
      `what the upstream has answered to ${[method, path].filter((word) => word !== '').join(' ')} is not ${verb}: ${reason}`,
    );
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#book?.clear();
    this.#told.clear();
  }
}
