import type { ServerResponse } from 'node:http';
import type { Random } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import type { HttpAnswer } from './answer.js';
import { AnswerStream } from './answer-stream.js';
import { loseHttp1Answer, type LostForm } from './broken.js';
import { sendHttp1Answer, truncateHttp1Answer } from './send-answer.js';

/** How one request is answered, in the version of HTTP in which it came. One of the first four is called, once. */
export interface Replier {
  /** Sends an answer. */
  send(answer: HttpAnswer): void;
  /**
   * Sends status and headers at once, and then the body as it is written.
   *
   * @param head - an answer without a body and without its length
   */
  stream(head: HttpAnswer): AnswerStream;
  /** Announces an answer, sends its first bytes and drops the connection. */
  truncate(answer: HttpAnswer, bytes: number): void;
  /** Ends the request without an answer. */
  lose(form: LostForm, random: Random): void;
  /** Whether something of an answer was sent. */
  readonly hasBegun: boolean;
  /** Calls back once when the answer was sent or given up. */
  onClose(listener: () => void): void;
}

/** Answers a request of HTTP/1.1. */
export class Http1Replier implements Replier {
  readonly #response: ServerResponse;
  readonly #connection: Connection;

  constructor(response: ServerResponse, connection: Connection) {
    this.#response = response;
    this.#connection = connection;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  send(answer: HttpAnswer): void {
    sendHttp1Answer(this.#response, answer);
  }

  stream({ status, head }: HttpAnswer): AnswerStream {
    this.#response.writeHead(status, head.flat as string[]);
    this.#response.flushHeaders();
    return new AnswerStream(this.#response);
  }

  truncate(answer: HttpAnswer, bytes: number): void {
    truncateHttp1Answer(this.#response, answer, bytes, (drop) => this.#connection.after(0, drop));
  }

  lose(form: LostForm, random: Random): void {
    loseHttp1Answer(this.#connection, form, random);
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}
