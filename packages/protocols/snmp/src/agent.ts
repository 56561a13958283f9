import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { formatAddress, type DatagramRemote } from '@backlot/kit';
import { answerRequest } from './answer.js';
import { ERROR, inVersion1, nameOfStatus, parseErrorStatus } from './error-status.js';
import { readRequest } from './request.js';
import type { SetValues } from './set-values.js';
import type { SnmpShape } from './shape.js';
import { SnmpMessage, type Request } from './message.js';
import { delayOf, EndedError, FaultError, RequestError, VariableBinder } from './variable-binder.js';
import type { ComparedAnswer } from './upstream/recordings.js';
import type { Relay } from './upstream/relay.js';
import { SystemGroup } from './system-group.js';
import { Walks, type Steps } from './walks.js';
import type { IncomingPdu, MessageProcessor } from './wire/message-processor.js';
import { PDU, TAG } from './wire/tags.js';
import { encodeBinding, type Binding } from './wire/value.js';

/** Requests whose answers are delayed at one time; further ones are dropped, as a network would. */
const MAX_WAITING = 10_000;
/** Of their datagrams, beyond which large ones are dropped: the thousands of OIDs in one take many times its octets. */
const MAX_WAITING_OCTETS = 4 * 1024 * 1024;
/** What every engine must take (RFC 3412 section 6.4), and most requests are. */
const SMALL = 484;

type Reply = (data: Uint8Array) => void;
type SnmpExchange = ExchangeFor<SnmpShape>;

/** What came. */
interface Opened {
  readonly incoming: IncomingPdu;
  readonly request: Request;
}

/** A request that is being answered. */
interface Call {
  readonly incoming: IncomingPdu;
  readonly request: Request;
  readonly exchange: SnmpExchange;
  readonly reply: Reply;
  /** Takes the answer before its exchange is ended, to compare it. */
  readonly compare?: ((answer: ComparedAnswer) => void) | undefined;
}

/** Answers the requests that come in datagrams. */
export class Agent {
  readonly #context: Context<SnmpShape>;
  readonly #processor: MessageProcessor;
  readonly #values: SetValues;
  readonly #walks: Walks;
  readonly #system: SystemGroup | undefined;
  readonly #relay: Relay | undefined;
  #waiting = 0;
  #waitingOctets = 0;

  /**
   * @param processor - who may ask, and how answers are secured
   * @param values - what clients have set
   * @param relay - asks the upstream, where there is one
   */
  constructor(context: Context<SnmpShape>, processor: MessageProcessor, values: SetValues, relay?: Relay) {
    this.#relay = relay;
    this.#context = context;
    this.#processor = processor;
    this.#values = values;
    this.#walks = new Walks(context.log);
    const { config, clock, mocks } = context;
    // Beside an upstream, and what was recorded of one, it would be an agent of its own.
    if (config.system !== false && config.upstream === undefined)
      this.#system = new SystemGroup(
        () => clock.now(),
        (oid) => mocks.index.has(oid),
      );
  }

  /** Drops what is not answered yet. */
  stop(): void {
    this.#walks.stop();
  }

  /**
   * Answers one datagram.
   *
   * @returns what waits for a delay
   */
  receive(octets: Buffer, remote: DatagramRemote, reply: Reply): Promise<void> | undefined {
    if (octets.length > SMALL && this.#waitingOctets >= MAX_WAITING_OCTETS) return undefined;
    const relay = this.#relay;
    // Engines, users and times of v3 are those of the upstream.
    const opened = relay !== undefined && isVersion3(octets) ? undefined : this.#open(octets);
    if (relay !== undefined && (opened === undefined || Buffer.isBuffer(opened))) {
      relay.pass(Buffer.from(octets), remote, reply);
      return undefined;
    }
    if (opened === undefined) return undefined;
    if (Buffer.isBuffer(opened)) {
      reply(opened);
      return undefined;
    }
    const waiting = this.#walks.run(this.#serve(opened, remote, reply, octets));
    if (waiting === undefined) return undefined;
    this.#waiting += 1;
    this.#waitingOctets += octets.length;
    return waiting.finally(() => {
      this.#waiting -= 1;
      this.#waitingOctets -= octets.length;
    });
  }

  *#serve(
    { incoming, request }: Opened,
    remote: DatagramRemote,
    reply: Reply,
    octets: Buffer,
  ): Steps<Promise<void> | undefined> {
    const first = request.bindings[0]?.oid ?? '';
    const message = new SnmpMessage(request, first, formatAddress(remote.address, remote.port), undefined);
    const target = message.asksForNext ? yield* this.#firstVisible(message) : undefined;
    const exchange = this.#context.receive(target === undefined ? message : message.for(first, target));
    const call = { incoming, request, exchange, reply };
    if (this.#relay !== undefined) {
      if (this.#waiting >= MAX_WAITING) exchange.abort();
      return this.#relay.take({
        ...{ exchange, remote, reply, id: incoming.pdu.id, octets: Buffer.from(octets) },
        answer: (outcome, compare) => this.#walks.run(this.#answer({ ...call, compare }, outcome)),
      });
    }
    const refusal = refusalOf(incoming, request);
    if (refusal !== undefined) {
      this.#fail(call, refusal);
      return undefined;
    }
    if (!asksAnything(call)) {
      this.#send(call, ERROR.noError, 0, []);
      return undefined;
    }
    const outcome = exchange.resolve();
    if (outcome instanceof Promise) {
      if (this.#waiting >= MAX_WAITING) exchange.abort();
      return outcome.then((late) => this.#walks.run(this.#answer(call, late)));
    }
    return yield* this.#answer(call, outcome);
  }

  /** What a datagram asks, or what refuses it; `undefined` for what is no message, or none to answer. */
  #open(octets: Buffer): Opened | Buffer | undefined {
    try {
      const incoming = this.#processor.open(octets);
      if (incoming === undefined || Buffer.isBuffer(incoming)) return incoming;
      const request = readRequest(incoming);
      if (request !== undefined) return { incoming, request };
      if (incoming.pdu.type !== PDU.inform) return undefined;
      // An agent takes no informs; who sends one need not wait for its time-out.
      return incoming.answer({ requestId: incoming.pdu.id, status: ERROR.genErr, index: 0, bindings: [] });
    } catch {
      // Octets that net-snmp cannot read are not answered (RFC 3412 section 7.2, step 2).
      return undefined;
    }
  }

  /** The first OID behind that of a message that has a value. */
  *#firstVisible(message: SnmpMessage): Steps<string | undefined> {
    const mocked = yield* this.#firstMocked(message);
    return this.#system?.next(message.path, mocked)?.oid ?? mocked;
  }

  /** The first OID behind that of a message that has a mock for it. */
  *#firstMocked(message: SnmpMessage): Steps<string | undefined> {
    const { mocks } = this.#context;
    let oid = mocks.index.next(message.path);
    while (oid !== undefined && !mocks.matches(message.for(message.path, oid))) {
      oid = mocks.index.next(oid);
      yield;
    }
    return oid;
  }

  *#answer(call: Call, outcome: OutcomeFor<SnmpShape>): Steps<Promise<void> | undefined> {
    const { exchange } = call;
    switch (outcome.type) {
      case 'aborted':
        return undefined;
      case 'fault':
        this.#answerFault(call, outcome.fault);
        return undefined;
      default: {
        const match = outcome.type === 'matched' ? outcome : undefined;
        const binder = new VariableBinder(
          exchange,
          match,
          this.#context.mocks.index,
          this.#values,
          this.#system,
          () => {
            if (this.#waiting >= MAX_WAITING) exchange.abort();
          },
        );
        return yield* this.#answerFromMocks(call, binder, delayOf(match));
      }
    }
  }

  *#answerFromMocks(call: Call, binder: VariableBinder, waited: number): Steps<Promise<void> | undefined> {
    const { exchange } = call;
    const { index } = this.#context.mocks;
    let send: () => void;
    try {
      const bindings = yield* answerRequest(binder, bulkNumbers(call), call.incoming.room);
      send = () => this.#send(call, ERROR.noError, 0, bindings);
    } catch (thrown) {
      if (thrown instanceof EndedError) return undefined;
      if (thrown instanceof FaultError) {
        this.#answerFault(call, thrown.fault);
        return undefined;
      }
      if (!(thrown instanceof RequestError)) throw thrown;
      send = () => this.#fail(call, thrown.status, thrown.index, thrown.message);
    }
    // Every walk ends behind the last value, and lacks no mock there.
    const hasAny = this.#system !== undefined || index.next('0.0') !== undefined;
    const isEnd = binder.message.asksForNext && hasAny;
    if (!exchange.matched && (isEnd || binder.usesSystem)) exchange.answeredFromData();
    if (binder.delay <= waited) {
      send();
      return undefined;
    }
    return exchange.wait(binder.delay - waited).then((hasArrived) => {
      if (hasArrived) send();
    });
  }

  #answerFault(
    call: Call,
    {
      drop,
      error_status: status = ERROR.genErr,
      message,
    }: { drop?: boolean; error_status?: string | number; message?: string },
  ): void {
    if (drop === true) call.exchange.done();
    else this.#fail(call, parseErrorStatus(status), 1, message, message);
  }

  /** Answers with an error and the bindings of the request; `value` stands in the first of them. */
  #fail(call: Call, status: number, index = 0, reason = '', value?: string): void {
    const { request, exchange } = call;
    const given = request.version === '1' ? inVersion1(status) : status;
    const isTooBig = given === ERROR.tooBig;
    // RFC 3416 section 4.2.1: nothing but the header, since that fits.
    const echoed = isTooBig && request.version !== '1' ? [] : echo(request, value);
    this.#transmit(call, given, isTooBig ? 0 : Math.min(index, request.bindings.length), echoed);
    const name = nameOfStatus(given);
    call.compare?.({ status: name, lines: echoed.map(({ text }) => text) });
    exchange.done(reason === '' ? { status: name } : { status: name, body: reason });
  }

  #send(call: Call, status: number, index: number, bindings: readonly Binding[]): void {
    this.#transmit(call, status, index, bindings);
    call.compare?.({ status: 'noError', lines: bindings.map(({ text }) => text) });
    const [first] = bindings;
    const body = bindings.length === 1 ? first?.text : bindings.map(({ text }) => text).join('\n');
    call.exchange.done(body === undefined ? { status: 'noError' } : { status: 'noError', body });
  }

  #transmit({ incoming, reply }: Call, status: number, index: number, bindings: readonly Binding[]): void {
    const octets = bindings.map((binding) => binding.octets);
    reply(incoming.answer({ requestId: incoming.pdu.id, status, index, bindings: octets }));
  }
}

/** The error of a request that no mock is asked about. */
function refusalOf({ isAuthorized }: IncomingPdu, { operation, version }: Request): number | undefined {
  if (!isAuthorized) return ERROR.authorizationError;
  // SNMPv1 has no GETBULK.
  return operation === 'GETBULK' && version === '1' ? ERROR.genErr : undefined;
}

function asksAnything(call: Call): boolean {
  const { nonRepeaters, maxRepetitions } = bulkNumbers(call);
  const { operation, bindings } = call.request;
  return bindings.length > 0 && (operation !== 'GETBULK' || nonRepeaters > 0 || maxRepetitions > 0);
}

/** RFC 3416 section 4.2.3: negative numbers count as zero. */
function bulkNumbers({ incoming }: Call): { nonRepeaters: number; maxRepetitions: number } {
  const { nonRepeaters = 0, maxRepetitions = 0 } = incoming.pdu;
  return { nonRepeaters: Math.max(nonRepeaters, 0), maxRepetitions: Math.max(maxRepetitions, 0) };
}

function echo({ bindings }: Request, value: string | undefined): readonly Binding[] {
  return bindings.map((given, place) => {
    const told = place === 0 && value !== undefined;
    return encodeBinding(given.oid, told ? { tag: TAG.octetString, native: Buffer.from(value) } : given);
  });
}

/** Whether octets begin as a message of v3 does: a sequence whose first element is the integer 3. */
function isVersion3(octets: Buffer): boolean {
  const length = octets[1] ?? 0;
  const at = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return octets[at] === 2 && octets[at + 1] === 1 && octets[at + 2] === 3;
}
