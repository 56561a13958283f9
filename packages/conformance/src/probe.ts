import type { ExportSample } from './exporter-cases.js';
import type { ImportSample } from './importer-cases.js';
import type { Json, RespondRequest } from '@backlot/core';

/** Where the kind listens, and clients connect. */
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
   * Sends one message that a mock could answer and resolves with the answer, as a short text in the protocol's own
   * words, such as `PONG`, `404` or `NXDOMAIN`, or with `closed` when the server has ended the connection, for whatever
   * reason. After an answer that is not from a mock the client is not used again.
   */
  send(message: ProbeMessage): Promise<string>;
  /** Leaves at once, in a way that the server notices; for a socket, call `abandon`. */
  close(): unknown;
}

/** Mocks with the kind's own fields only; the suite adds their ids. */
export interface ProbeMocks {
  /** Matches the message `simple`. */
  readonly simple: Json;
  /** Matches the message `simple` as well and is answered with something else. */
  readonly changed: Json;
  /** Matches the message `other` alone. */
  readonly other: Json;
  /** Matches the message `simple`; its answer has a template tag. */
  readonly template?: Json;
  /** Mocks that the protocol must refuse, such as those with an answer that it cannot send. */
  readonly bad?: readonly Json[];
}

/** What `send` of a client resolves with when the mock of that name answers. */
export interface ProbeAnswers {
  readonly simple: string;
  readonly changed: string;
  readonly other: string;
  readonly template?: string;
  /** When no mock matches. */
  readonly unmatched: string;
  /** While the fault `{}` is set; needed by kinds that declare a fault. */
  readonly fault?: string;
}

/** Reads one streaming answer. */
export interface StreamReader {
  /** Resolves with the next thing that arrives, as a short text; the end of the stream counts as one. */
  next(): Promise<string>;
  /** Leaves at once, as {@link ProbeClient.close} does. */
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
  /** What `next` resolves with for `data`, for a normal end, and for an end with the error `boom`. */
  readonly pushed: string;
  readonly ended: string;
  readonly failed: string;
}

/** The logins of a kind that declares `fault.login`. */
export interface ProbeLogin {
  /**
   * Connects a client that logs in, and leaves. Resolves with `accepted`, or with what the client was told, as a short
   * text in the protocol's own words.
   */
  attempt(address: ListenAddress): Promise<string>;
  /** What `attempt` resolves with while the fault `{phase: login}` is set. */
  readonly refused: string;
  /** Further fields of such a fault, and what `attempt` resolves with then; absent where none fits a login. */
  readonly custom?: { readonly fault: Json; readonly refused: string };
}

/**
 * The contract of a kind that declares contracts. It allows the message `simple` and what the mock `simple` answers, and neither
 * what the mock `changed` answers nor the message `other`.
 */
export interface ProbeContract {
  /** The name of the file. */
  readonly name: string;
  readonly content: string;
  /**
   * Mocks in place of those of the probe, for kinds whose mocks answer to an address that the message names: such a mock can only
   * be refused when it answers. These answer to an address of their own, so what they answer is known when they are created. The
   * answers of the probe are theirs as well.
   */
  readonly mocks?: Pick<ProbeMocks, 'simple' | 'changed' | 'other'>;
  /** Further settings of the kind, such as the types of messages. */
  readonly settings?: Json;
  /** In place of `connect` of the probe: a client of those settings, which hears what `mocks` answer. */
  connect?(address: ListenAddress): Promise<ProbeClient>;
  /** What `send` resolves with for `other` where the contract is enforced. */
  readonly refused: string;
  /** Connects, sends a message that is one of the contract, and too long for it to be held to its schema, and leaves. */
  sendLong(address: ListenAddress): Promise<unknown>;
}

/** What the suite needs to know about a protocol: facts, and a real client. */
export interface Probe {
  /** Settings of the kind, without host, port and mocks. */
  readonly settings?: Json;
  readonly mocks: ProbeMocks;
  /**
   * What a function returns that answers the message `simple` as the mock `simple` does; the fields of that mock which are
   * its answer when absent.
   */
  respond?(request: RespondRequest): unknown;
  readonly answers: ProbeAnswers;
  /** How the journal shows the message `simple`; `path` is left out where it depends on the port. */
  readonly logged: { readonly method: string; readonly path?: string };
  /** For kinds that declare a capture: a text in the JSON of what is captured of the message `simple`. */
  readonly captured?: string;
  /** For kinds that declare streams. */
  readonly stream?: ProbeStream;
  /** For kinds that declare `fault.login`. */
  readonly login?: ProbeLogin;
  /** For kinds that declare contracts. */
  readonly contract?: ProbeContract;
  /** For kinds that declare exports: at least one for each format. */
  readonly exports?: readonly ExportSample[];
  /** For kinds that declare imports: at least one file of each format. */
  readonly imports?: readonly ImportSample[];
  /**
   * Connects a client.
   *
   * @param space - the id of the space that it names, in the way that the kind has for that; given only where `namesSpaces` is true
   */
  connect(address: ListenAddress, space?: string): Promise<ProbeClient>;
  /** Whether clients of the kind can say at a shared port which space they are for: in a header, or by the name that logs in. */
  readonly namesSpaces?: true;
  /** Whether the service of the kind never asks for its upstream, so that a start with one is refused. */
  readonly hasNoUpstream?: boolean;
  /**
   * Milliseconds that a client may wait for one thing; 5,000 when absent. They are counted in turns of the event loop,
   * so they take longer while this process works or the machine is busy.
   */
  readonly timeout?: number;
}
