import type { Context, ExchangeFor, OutcomeFor, Upstream } from '@backlot/core/plugin';
import type { DatagramRemote } from '@backlot/kit';
import { DatagramAsks, relayMessage, UpstreamDesk } from '@backlot/kit/upstream';
import { nameOfStatus } from '../error-status.js';
import type { SnmpShape } from '../shape.js';
import type { NetSnmp } from '../wire/net-snmp.js';
import { PDU } from '../wire/tags.js';
import {
  differencesOf,
  lineOf,
  readBindings,
  recordingsOf,
  type ComparedAnswer,
  type ReceivedAnswer,
} from './recordings.js';

type Reply = (data: Uint8Array) => void;
type SnmpExchange = ExchangeFor<SnmpShape>;

/** A request that came. */
export interface RelayedRequest {
  readonly exchange: SnmpExchange;
  readonly octets: Buffer;
  /** Of its PDU, which the answer has as well. */
  readonly id: number;
  readonly remote: DatagramRemote;
  readonly reply: Reply;
  /** Answers without the upstream, and tells the answer before the exchange is ended. */
  readonly answer: (
    outcome: OutcomeFor<SnmpShape>,
    compare: ((answer: ComparedAnswer) => void) | undefined,
  ) => unknown;
}

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly #context: Context<SnmpShape>;
  readonly #snmp: NetSnmp;
  readonly #desk: UpstreamDesk;
  readonly #asks: DatagramAsks;

  constructor(context: Context<SnmpShape>, upstream: Upstream, snmp: NetSnmp) {
    this.#context = context;
    this.#snmp = snmp;
    this.#desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (answer) => answer as Readonly<Record<string, unknown>> },
    });
    this.#asks = new DatagramAsks(upstream, this.#desk.upstreamLog);
  }

  /** Takes a request. @returns a promise that resolves when it is answered */
  take({ exchange, octets, id, remote, reply, answer }: RelayedRequest): Promise<void> {
    const { message } = exchange;
    const { operation, bindings } = message.request;
    return relayMessage<ComparedAnswer & Partial<ReceivedAnswer>, SnmpExchange>(this.#desk, {
      exchange,
      key: operation === 'SET' ? undefined : message.path,
      isUpstreams: this.#isUpstreams(message.asksForNext, bindings),
      kept: () => message,
      forward: async () => {
        const read = this.#read(
          await this.#asks.ask(octets, remote, (data) => this.#idOf(data) === id, reply),
        );
        return { ...read, lines: read.bindings.map(lineOf) };
      },
      pass: (given) => given.octets && reply(given.octets),
      // As without an agent: the client asks again, or gives up.
      refuse: () => undefined,
      keep: (given, records) => ({
        reply: { status: given.status, ...(given.lines.length > 0 ? { body: given.lines.join('\n') } : {}) },
        recordings:
          !records || given.bindings === undefined
            ? []
            : operation === 'SET'
              ? 'it is a SET, and what it sets is recorded when it is read'
              : recordingsOf(given as ReceivedAnswer),
      }),
      answer,
      differences: differencesOf,
    });
  }

  /** Passes on what is not read here: v3, and other communities. */
  pass(octets: Buffer, remote: DatagramRemote, reply: Reply): void {
    this.#asks.pass(octets, remote, reply);
  }

  /** Forgets what was recorded: a reset has removed the mocks. */
  reset(): void {
    this.#desk.reset();
  }

  stop(): void {
    this.#asks.stop();
  }

  /** Only the upstream knows what is next, and what is at OIDs without a mock; a request has one answer. */
  #isUpstreams(asksForNext: boolean, bindings: readonly { readonly oid: string }[]): boolean {
    if (this.#desk.mode === 'diff') return false;
    return asksForNext || !bindings.every(({ oid }) => this.#context.mocks.index.has(oid));
  }

  #idOf(data: Buffer): number | undefined {
    try {
      const { pdu } = this.#snmp.read(data);
      return pdu?.type === PDU.response ? pdu.id : undefined;
    } catch {
      // It is no message, and goes to the client as it is.
      return undefined;
    }
  }

  #read(octets: Buffer): ReceivedAnswer {
    const { pdu } = this.#snmp.read(octets);
    return {
      octets,
      status: nameOfStatus(pdu?.errorStatus ?? 0),
      bindings: readBindings(pdu?.varbinds ?? []),
    };
  }
}
