import type { Json } from '@backlot/core';

/** Where a client connects to. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * What a client is told to send. `simple` is what the mocks `simple`, `changed` and `template` match, `other` what the
 * mock `other` matches; `unmatched` is matched by none of them.
 */
export type ProbeMessage = 'simple' | 'other' | 'unmatched';

/** A real client of the protocol, connected. */
export interface ProbeClient {
  /**
   * Sends one message that a mock could answer and resolves with what came back, as a short text in the protocol's own
   * words, such as `PONG`, `404` or `NXDOMAIN`; a connection that the server ended is `closed`, whatever ended it.
   * After any answer but that of a mock the client is not used again.
   */
  send(message: ProbeMessage): Promise<string>;
  /** Gives the connection up at once, so that the server can tell; for a socket, `abandon` does it. */
  close(): unknown;
}

/** Mocks without core's own fields; the suite gives them ids. */
export interface ProbeMocks {
  /** Matches the message `simple`. */
  readonly simple: Json;
  /** Matches the message `simple` as well and is answered with something else. */
  readonly changed: Json;
  /** Matches the message `other` alone. */
  readonly other: Json;
  /** Matches the message `simple` with an answer that holds a tag. */
  readonly template?: Json;
  /** Mocks that the protocol itself cannot carry; each must be refused. */
  readonly bad?: readonly Json[];
}

/** What a client's `send` resolves with. */
export interface ProbeAnswers {
  readonly simple: string;
  readonly changed: string;
  readonly other: string;
  readonly template?: string;
  /** To a message that no mock matches. */
  readonly unmatched: string;
  /** To any message while the fault `{}` is set; for kinds that declare a fault. */
  readonly fault?: string;
}

/** Reads one streaming answer. */
export interface StreamReader {
  /** Resolves with the next thing that arrives; the end of the stream is such a thing too. */
  next(): Promise<string>;
  /** Leaves, as {@link ProbeClient.close}. */
  close(): unknown;
}

/** The streaming answers of a kind that declares them. */
export interface ProbeStream {
  /** A mock whose answer stays open. */
  readonly mock: Json;
  /** Connects, sends what matches the mock and resolves once the answer has begun. */
  open(address: ListenAddress): Promise<StreamReader>;
  /** What is pushed. */
  readonly data: unknown;
  /** What `next` resolves with for it, for a normal end, and for an end with the error `boom`. */
  readonly pushed: string;
  readonly ended: string;
  readonly failed: string;
}

/** Facts about a protocol and a real client of it: all that the suite needs to know. */
export interface Probe {
  /** Settings of the kind beside host, port and mocks. */
  readonly settings?: Json;
  readonly mocks: ProbeMocks;
  readonly answers: ProbeAnswers;
  /** How the journal shows the message `simple`; `path` is left out where it depends on the port. */
  readonly logged: { readonly method: string; readonly path?: string };
  /** For kinds that declare a capture: a text in the JSON of what is captured of the message `simple`. */
  readonly captured?: string;
  readonly stream?: ProbeStream;
  connect(address: ListenAddress): Promise<ProbeClient>;
  /**
   * Milliseconds that a client waits for anything while nothing happens in this process; 5,000 when absent. They are
   * counted in turns of the event loop, so that they are longer where it works, and on a busy machine.
   */
  readonly timeout?: number;
}
