import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { formatAddress, type DatagramRemote } from '@backlot/kit';
import { answerFromZones, buildAnswer, type BuiltAnswer, type DnsFault } from './answer.js';
import { DnsMessage } from './message.js';
import type { DnsShape } from './shape.js';
import { comparedOf, type ComparedAnswer } from './upstream/compared.js';
import type { Relay, UpstreamWay } from './upstream/relay.js';
import { makeAnswerRecord } from './wire/answer-record.js';
import { MAX_MESSAGE, MessageWriter, type Answer } from './wire/message-writer.js';
import { forgetRecords, PLAIN_UDP_SIZE, readQuery, type Query } from './wire/query.js';
import { nameOfRcode, parseRcode, RCODE } from './wire/rcodes.js';
import { CLASS_IN, TYPE } from './wire/types.js';
import { formatRecords } from './zone-text.js';
import { Zones } from './zones.js';

/**
 * The most we send in one datagram, whatever the client says it takes: what passes without fragments (DNS Flag Day 2020), and
 * since the address of a query may be forged, no more than that for anybody.
 */
const MAX_UDP_SIZE = 1232;
/** Datagrams whose answers are delayed at one time; further ones are dropped, as a network would. */
const MAX_WAITING = 10_000;

const UNMATCHED_RCODES = { nxdomain: RCODE.NXDOMAIN, empty: RCODE.NOERROR, refused: RCODE.REFUSED } as const;

/** Takes the octets of an answer. */
export type Send = (answer: Buffer) => void;
type DnsExchange = ExchangeFor<DnsShape>;
type DnsOutcome = OutcomeFor<DnsShape>;

/** Takes an answer of our own before its exchange is ended, to compare it. */
type Compare = ((answer: ComparedAnswer) => void) | undefined;

/** An exchange whose answer waits for a delay. */
export interface PendingAnswer {
  readonly exchange: DnsExchange;
  readonly answered: Promise<void>;
}

/** Answers queries, whichever way they came. */
export class QueryHandler {
  readonly #context: Context<DnsShape>;
  readonly #writer = new MessageWriter();
  readonly #unmatched: number;
  readonly #zones: Zones;
  readonly #relay: Relay | undefined;
  #waiting = 0;

  /** @param relay - asks the upstream, where there is one */
  constructor(context: Context<DnsShape>, relay?: Relay) {
    this.#relay = relay;
    this.#context = context;
    this.#zones = new Zones(context.mocks);
    this.#unmatched = UNMATCHED_RCODES[context.config.unmatched ?? 'nxdomain'];
  }

  /**
   * Answers one message.
   *
   * @param way - to the upstream, where there is one
   * @returns what waits for a delay, `undefined` when the answer was sent (or there is none to send), and `false` for
   * octets that are no query at all
   */
  receive(
    bytes: Buffer,
    remote: string,
    transport: 'udp' | 'tcp',
    send: Send,
    way?: UpstreamWay,
  ): PendingAnswer | undefined | false {
    const query = readQuery(bytes);
    if (query === undefined) return false;
    const refusal = refusalOf(query);
    if (refusal !== RCODE.NOERROR) {
      if (way !== undefined) {
        way.pass(Buffer.from(bytes));
        return undefined;
      }
      this.#send(query, { rcode: refusal, records: [] }, transport, send);
      return undefined;
    }
    const exchange = this.#context.receive(
      new DnsMessage(query.name, query.key, query.type, remote, transport),
    );
    if (this.#relay !== undefined && way !== undefined) {
      const answered = this.#relay.take(query, exchange, way, (outcome, compare) =>
        this.#answer(query, exchange, outcome, transport, send, compare),
      );
      forgetRecords(query);
      return { exchange, answered };
    }
    const outcome = exchange.resolve();
    const answered =
      outcome instanceof Promise
        ? outcome.then((late) => this.#answer(query, exchange, late, transport, send))
        : this.#answer(query, exchange, outcome, transport, send);
    if (answered === undefined) return undefined;
    forgetRecords(query);
    return { exchange, answered };
  }

  /**
   * Answers one datagram.
   *
   * @returns what waits for a delay
   */
  receiveDatagram(
    bytes: Buffer,
    remote: DatagramRemote,
    reply: (data: Uint8Array) => void,
  ): Promise<void> | undefined {
    const way = this.#relay?.datagramWay(remote, reply);
    const pending = this.receive(bytes, formatAddress(remote.address, remote.port), 'udp', reply, way);
    if (pending === undefined || pending === false) return undefined;
    if (this.#waiting >= MAX_WAITING) pending.exchange.abort();
    this.#waiting += 1;
    return pending.answered.finally(() => {
      this.#waiting -= 1;
    });
  }

  /** @returns a promise only while replicas count the mocks of an alias together */
  #answer(
    query: Query,
    exchange: DnsExchange,
    outcome: DnsOutcome,
    transport: 'udp' | 'tcp',
    send: Send,
    compare?: Compare,
  ): Promise<void> | undefined {
    switch (outcome.type) {
      case 'all': {
        const answer = buildAnswer(exchange, outcome.matches, this.#zones);
        if (answer instanceof Promise)
          return answer.then((late) => this.#answerLate(late, query, exchange, transport, send, compare));
        this.#answerWith(answer, query, exchange, transport, send, compare);
        return undefined;
      }
      case 'fault':
        this.#answerFault(outcome, query, exchange, transport, send);
        return undefined;
      case 'aborted':
        return undefined;
      default: {
        const answer = answerFromZones(exchange, this.#zones);
        if (answer instanceof Promise)
          return answer.then((late) => {
            if (!('type' in late) && late.rcode !== RCODE.NXDOMAIN) exchange.answeredFromData();
            this.#answerLate(late, query, exchange, transport, send);
          });
        if (answer !== undefined) {
          // A name that is not there stays among the unmatched, where people look for what they have forgotten.
          if (answer.rcode !== RCODE.NXDOMAIN) exchange.answeredFromData();
          this.#answerWith(answer, query, exchange, transport, send);
          return undefined;
        }
        // A name with records of another type exists, which NXDOMAIN would deny (RFC 2308 section 2.2).
        this.#answerPlainly(
          query,
          exchange,
          this.#zones.knowsName(exchange.message) ? RCODE.NOERROR : this.#unmatched,
          transport,
          send,
        );
        return undefined;
      }
    }
  }

  /** Answers what replicas have counted, when somebody waits for it still. */
  #answerLate(
    answer: BuiltAnswer | DnsFault,
    query: Query,
    exchange: DnsExchange,
    transport: 'udp' | 'tcp',
    send: Send,
    compare?: Compare,
  ): void {
    if (exchange.ended) return;
    if ('type' in answer) return this.#answerFault(answer, query, exchange, transport, send);
    this.#answerWith(answer, query, exchange, transport, send, compare);
  }

  #answerFault(
    { fault }: DnsFault,
    query: Query,
    exchange: DnsExchange,
    transport: 'udp' | 'tcp',
    send: Send,
  ): void {
    if (fault.drop === true) return exchange.done();
    this.#answerPlainly(query, exchange, parseRcode(fault.rcode ?? RCODE.SERVFAIL), transport, send);
  }

  #answerWith(
    built: BuiltAnswer,
    query: Query,
    exchange: DnsExchange,
    transport: 'udp' | 'tcp',
    send: Send,
    compare?: Compare,
  ): void {
    const ttl = this.#context.faults.current?.ttl;
    const answer = ttl === undefined ? built : withTtl(built, ttl);
    const missing = answer.missing ?? (answer.records.length === 0 ? exchange.message : undefined);
    const whole = missing === undefined ? answer : this.#withAuthority(answer, missing);
    const sent = this.#send(query, whole, transport, send);
    compare?.(comparedOf(query.key, { rcode: sent, records: answer.records }));
    const body = answer.failure ?? formatRecords(query.name, answer.records);
    exchange.done(body === undefined ? { status: nameOfRcode(sent) } : { status: nameOfRcode(sent), body });
  }

  #answerPlainly(
    query: Query,
    exchange: DnsExchange,
    rcode: number,
    transport: 'udp' | 'tcp',
    send: Send,
  ): void {
    this.#send(query, this.#withAuthority({ rcode, records: [] }, exchange.message), transport, send);
    exchange.done({ status: nameOfRcode(rcode) });
  }

  /** An answer without records that says what is not there carries the SOA of the zone (RFC 2308, section 2). */
  #withAuthority(answer: Answer, message: DnsMessage): Answer {
    if (answer.authority !== undefined) return answer;
    if (answer.rcode !== RCODE.NOERROR && answer.rcode !== RCODE.NXDOMAIN) return answer;
    const authority = this.#zones.authorityOf(message);
    return authority.length === 0 ? answer : { rcode: answer.rcode, records: answer.records, authority };
  }

  /** @returns the response code that was sent: SERVFAIL for what DNS cannot carry */
  #send(query: Query, answer: Answer, transport: 'udp' | 'tcp', send: Send): number {
    const isStream = transport === 'tcp';
    const octets = this.#writer.write(query, answer, isStream ? MAX_MESSAGE : datagramLimit(query), isStream);
    if (octets !== undefined) {
      send(octets);
      return answer.rcode;
    }
    return this.#send(query, { rcode: RCODE.SERVFAIL, records: [] }, transport, send);
  }
}

/** What is answered to a query that no mock is asked about; NOERROR when mocks are. */
function refusalOf(query: Query): number {
  if (query.rcode !== RCODE.NOERROR) return query.rcode;
  if (query.edns !== undefined && query.edns.version !== 0) return RCODE.BADVERS;
  if (query.class !== CLASS_IN || query.type === TYPE.AXFR || query.type === TYPE.IXFR) return RCODE.REFUSED;
  return RCODE.NOERROR;
}

function datagramLimit({ edns }: Query): number {
  // RFC 6891 section 6.2.3: less than 512 means 512.
  return edns === undefined ? PLAIN_UDP_SIZE : Math.min(Math.max(edns.size, PLAIN_UDP_SIZE), MAX_UDP_SIZE);
}

/** The same answer, written anew, with records that may be kept for so many seconds. */
function withTtl({ octets: _written, ...answer }: BuiltAnswer, ttl: number): BuiltAnswer {
  return {
    ...answer,
    records: answer.records.map(({ data, owner }) => makeAnswerRecord(data, ttl, owner)),
  };
}
