import type { Metadata } from '@grpc/grpc-js';
import type { Connection, Timer } from '@backlot/kit';
import type { MakeDecoder } from '../requests.js';
import type { Rpc, RpcCall, RpcListener, RpcStatus } from './rpc-call.js';
import { Code } from './status.js';
import { MAX_TIMEOUT_MS } from './timeout.js';
import type { AnswerHeaders, Carrier } from './carrier.js';
import { CallHeaders, OF_THE_WIRE } from './call-headers.js';

/** What is known of a call by its headers. */
export interface CallHead {
  readonly path: string;
  /** Its `grpc-timeout` as it was sent. */
  readonly timeout?: string | undefined;
  /** How long the client waits, in milliseconds. */
  readonly deadline: number | undefined;
  /** Its headers, where they were read before. */
  readonly headers?: CallHeaders | undefined;
  /** Further headers of every answer. */
  readonly further: AnswerHeaders;
}

/** A call over HTTP: what all wires have in common. */
export abstract class HttpCall implements RpcCall, Rpc {
  readonly path: string;
  readonly connection: Connection;
  readonly timeout: string | undefined;
  abstract readonly malformed: number;
  readonly makeDecoder?: MakeDecoder | undefined;
  protected readonly carrier: Carrier;
  protected readonly further: AnswerHeaders;
  protected hasEnded = false;
  readonly #deadline: number | undefined;
  readonly #headers: CallHeaders | undefined;
  #listener: RpcListener | undefined;
  #timer: Timer | undefined;
  #sent: number | undefined;

  constructor(carrier: Carrier, { path, timeout, deadline, headers, further }: CallHead) {
    this.#headers = headers;
    this.carrier = carrier;
    this.connection = carrier.connection;
    this.path = path;
    this.timeout = timeout;
    this.further = further;
    this.#deadline = deadline;
  }

  get rpc(): Rpc {
    return this;
  }

  start(listener: RpcListener): void {
    this.#listener = listener;
    this.carrier.onLeave(this.connection.isolate(() => this.#leave()));
    // Those that are farther away than a timer can wait never come.
    if (this.#deadline !== undefined && this.#deadline <= MAX_TIMEOUT_MS) {
      this.#timer = this.connection.after(this.#deadline, () =>
        this.breakOff(Code.DEADLINE_EXCEEDED, 'Deadline exceeded'),
      );
    }
    listener.onReceiveMetadata(
      this.#headers ?? new CallHeaders(this.carrier.headers, this.connection.encrypted),
    );
  }

  abstract startRead(): void;
  abstract sendMetadata(metadata: Metadata): void;
  abstract sendMessage(bytes: Buffer, sent?: () => void): void;
  /** Writes the end of the answer. */
  protected abstract writeEnd(status: RpcStatus): void;

  sendStatus(status: RpcStatus): void {
    if (this.hasEnded) return;
    this.stop(status.code);
    this.writeEnd(status);
  }

  /** Answers without asking anybody. */
  refuse(code: number, details: string): void {
    this.sendStatus({ code, details, metadata: null });
  }

  sentStatus(): number | undefined {
    return this.#sent;
  }

  reset(): void {
    this.stop();
    this.carrier.reset();
  }

  sendHttp(status: number, body: string): void {
    this.stop();
    this.carrier.respond(status, { ...this.further, 'content-type': 'text/plain; charset=utf-8' });
    this.carrier.end(Buffer.from(body));
  }

  /** A message has been read. */
  protected give(bytes: Buffer): void {
    if (!this.hasEnded && !this.carrier.hasLeft) this.#listener?.onReceiveMessage(bytes);
  }

  /** The client has sent its last message. */
  protected giveEnd(): void {
    if (!this.hasEnded && !this.carrier.hasLeft) this.#listener?.onReceiveHalfClose();
  }

  /** The wire itself ends the call, and tells who serves it. */
  breakOff(code: number, details: string): void {
    if (this.hasEnded) return;
    this.refuse(code, details);
    this.#listener?.onCancel();
  }

  #leave(): void {
    if (this.hasEnded) return;
    this.stop();
    this.#listener?.onCancel();
  }

  /** The call is over. @param code - the status that is sent, if one is */
  protected stop(code?: number): void {
    this.hasEnded = true;
    this.#sent = code;
    this.#timer?.cancel();
  }
}

/** Metadata as headers; that of an answer never says how it is carried. */
export function headersOf(metadata: Metadata | null | undefined, prefix = ''): AnswerHeaders {
  const headers: AnswerHeaders = {};
  for (const [name, value] of Object.entries(metadata?.toHttp2Headers() ?? {})) {
    if (value !== undefined && (prefix !== '' || !OF_THE_WIRE.has(name)))
      headers[`${prefix}${name}`] = value as string | string[];
  }
  return headers;
}
