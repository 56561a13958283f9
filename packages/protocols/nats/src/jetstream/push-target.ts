import type { Timer } from '@backlot/kit';
import type { ConsumerConfig } from './consumer-config.js';
import { toMilliseconds } from './dates.js';
import { statusMessage } from './pull-requests.js';
import type { Surroundings } from './surroundings.js';

/** Bytes that may be under way to a client with flow control: at first, and at most. */
const FIRST_WINDOW = 2 * 1024 * 1024;
const LARGEST_WINDOW = 32 * 1024 * 1024;

/** Who gets the messages of a push consumer: whether somebody does, how much is under way, heartbeats. */
export class PushTarget {
  readonly #around: Surroundings;
  readonly #subject: string;
  readonly #path: string;
  readonly #heartbeatLines: () => string;
  readonly #interval: number;
  readonly #hasFlowControl: boolean;
  #heartbeat: Timer | undefined;
  #lastSent: number;
  #window = FIRST_WINDOW;
  #underWay = 0;
  /** The subject that answers to the question how far the client is; empty while there is none. */
  #asked = '';
  #askedBytes = 0;
  isActive: boolean;

  /** @param path - the stream and the consumer, as they stand in subjects */
  constructor(around: Surroundings, config: ConsumerConfig, path: string, heartbeatLines: () => string) {
    this.#around = around;
    this.#lastSent = around.timers.now();
    this.#subject = config.deliver_subject ?? '';
    this.#path = path;
    this.#heartbeatLines = heartbeatLines;
    this.#interval = toMilliseconds(config.idle_heartbeat ?? 0);
    this.#hasFlowControl = config.flow_control === true;
    this.isActive = around.isHeard(this.#subject);
    this.#beatLater(this.#interval);
  }

  get subject(): string {
    return this.#subject;
  }

  /** Whether it may get another message now. */
  get isReady(): boolean {
    return this.isActive && !(this.#hasFlowControl && this.#underWay > this.#window);
  }

  /** Looks whether somebody gets it. Says whether that has changed. */
  look(): boolean {
    const isActive = this.#around.isHeard(this.#subject);
    if (isActive === this.isActive) return false;
    this.isActive = isActive;
    this.#underWay = 0;
    this.#asked = '';
    this.#window = FIRST_WINDOW;
    return true;
  }

  /** A message has been sent. */
  sent(bytes: number): void {
    this.#lastSent = this.#around.timers.now();
    if (!this.#hasFlowControl) return;
    this.#underWay += bytes;
    if (this.#asked !== '' || this.#underWay * 2 <= this.#window) return;
    this.#asked = `$JS.FC.${this.#path}.${this.#around.newId().slice(0, 8)}`;
    this.#askedBytes = this.#underWay;
    this.#around.send(
      this.#subject,
      statusMessage(this.#subject, '100 FlowControl Request', '', this.#asked),
    );
  }

  /** The client has answered how far it is. Says whether it is an answer to what was asked. */
  answered(subject: string): boolean {
    if (subject !== this.#asked) return false;
    this.#underWay = Math.max(0, this.#underWay - this.#askedBytes);
    this.#asked = '';
    this.#window = Math.min(2 * this.#window, LARGEST_WINDOW);
    return true;
  }

  stop(): void {
    this.#heartbeat?.cancel();
  }

  #beatLater(wait: number): void {
    if (this.#interval === 0) return;
    this.#heartbeat = this.#around.timers.after(wait, () => this.#beat(), { unref: true });
  }

  #beat(): void {
    const silent = this.#around.timers.now() - this.#lastSent;
    if (silent < this.#interval) return this.#beatLater(this.#interval - silent);
    if (this.isActive) {
      const stalled = this.#asked === '' ? '' : `Nats-Consumer-Stalled: ${this.#asked}\r\n`;
      const lines = this.#heartbeatLines() + stalled;
      this.#around.send(this.#subject, statusMessage(this.#subject, '100 Idle Heartbeat', lines));
    }
    this.#lastSent = this.#around.timers.now();
    this.#beatLater(this.#interval);
  }
}
