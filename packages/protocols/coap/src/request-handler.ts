import { messageOf } from '@backlot/core/plugin';
import { JobQueue } from '@backlot/kit';
import type { IncomingRequest } from './incoming-request.js';
import { DISCOVERY_PATH, filtersIn, listLinks } from './links.js';
import { representMock } from './matcher.js';
import { CoapMessage } from './message.js';
import type { Observers } from './observers.js';
import { diagnose, Representation } from './representation.js';
import type { Responder } from './responder.js';
import type { CoapContext, CoapExchange, CoapMatch, CoapOutcome } from './shape.js';
import { MAX_PAYLOAD, Uploads } from './transfer/uploads.js';
import { classOf, CODE, formatCode, methodOf, parseResponseCode } from './wire/codes.js';
import { LINK_FORMAT, nameOfFormat } from './wire/content-formats.js';

/** Requests whose answers are delayed at one time; further ones are dropped, as a network would. */
const MAX_WAITING = 10_000;
/** Of their datagrams, beyond which large ones are dropped. */
const MAX_WAITING_OCTETS = 64 * 1024 * 1024;
/** What every message should fit into (RFC 7252 section 4.6). */
const SMALL = 1152;
/** RFC 6690 section 4.1 has one; each is held against every resource. */
const MAX_FILTERS = 16;
const MAX_SHOWN_LENGTH = 100;

/** Answers requests: the request layer of RFC 7252 section 5. */
export class RequestHandler {
  readonly #context: CoapContext;
  readonly #responder: Responder;
  readonly #observers: Observers;
  readonly #uploads = new Uploads();
  readonly #discoveries: JobQueue;
  #waiting = 0;
  #waitingOctets = 0;

  constructor(context: CoapContext, responder: Responder, observers: Observers) {
    this.#context = context;
    this.#responder = responder;
    this.#observers = observers;
    this.#discoveries = new JobQueue({
      onError: (thrown) => context.log.error(`resources could not be listed: ${messageOf(thrown)}`, thrown),
    });
  }

  /** @returns a promise when the answer waits for a delay */
  handle(request: IncomingRequest): Promise<void> | undefined {
    const { packet, options, remote } = request;
    if (options.bad !== undefined) {
      this.#refuse(request, options.bad.code, options.bad.reason);
      return undefined;
    }
    const method = methodOf(packet.code);
    if (method === undefined) {
      this.#refuse(request, CODE.METHOD_NOT_ALLOWED, `there is no method ${formatCode(packet.code)}`);
      return undefined;
    }
    let body = packet.payload;
    if (options.block1 !== undefined) {
      const taken = this.#takeBlock(request);
      if (taken === undefined) return undefined;
      body = taken.length === 0 ? undefined : taken;
    }
    const isFurtherBlock = (options.block2?.number ?? 0) > 0;
    if (isFurtherBlock && this.#responder.respondWithNextBlock(request)) return undefined;
    if (options.observe === 1) this.#observers.remove(remote, packet.token);
    const { path, accept } = options;
    return this.#exchange(request, new CoapMessage({ method, path, remote, accept, body, packet }));
  }

  /** @returns the whole payload once it is there */
  #takeBlock(request: IncomingRequest): Buffer | undefined {
    const { packet, options, remote, transferKey } = request;
    const { block1, size1 } = options;
    if (block1 === undefined) return undefined;
    const taken = this.#uploads.take(remote, transferKey, block1, packet.payload, size1);
    switch (taken.type) {
      case 'complete':
        return taken.payload;
      case 'continue':
        this.#responder.respond(request, new Representation(CODE.CONTINUE), { block2: undefined });
        return undefined;
      default:
        this.#responder.respond(request, diagnose(taken.code, taken.reason), {
          block2: undefined,
          size1: taken.code === CODE.REQUEST_ENTITY_TOO_LARGE ? MAX_PAYLOAD : undefined,
        });
        return undefined;
    }
  }

  #refuse(request: IncomingRequest, code: number, reason: string): void {
    this.#responder.respond(request, diagnose(code, reason), { block1: undefined, block2: undefined });
  }

  #exchange(request: IncomingRequest, message: CoapMessage): Promise<void> | undefined {
    const exchange = this.#context.receive(message);
    if (this.#isDiscovery(message)) {
      if (!this.#hasRoomFor(request)) {
        exchange.abort();
        return undefined;
      }
      this.#wait(request);
      this.#discoveries.add(this.#answerDiscovery(request, exchange));
      if (!exchange.ended) this.#responder.acknowledgeSoon(request);
      return undefined;
    }
    const outcome = exchange.resolve();
    if (!(outcome instanceof Promise)) {
      this.#answer(request, exchange, outcome);
      return undefined;
    }
    if (!this.#hasRoomFor(request)) exchange.abort();
    // A fault may be to drop all that would be sent, the acknowledgement too.
    else if (!exchange.faulted) this.#responder.acknowledgeSoon(request);
    this.#wait(request);
    return outcome
      .then((late) => this.#answer(request, exchange, late))
      .finally(() => this.#waitNoMore(request));
  }

  /** Whether a request can be kept waiting. */
  #hasRoomFor({ packet }: IncomingRequest): boolean {
    if (this.#waiting >= MAX_WAITING) return false;
    return packet.data.length <= SMALL || this.#waitingOctets < MAX_WAITING_OCTETS;
  }

  #wait({ packet }: IncomingRequest): void {
    this.#waiting += 1;
    this.#waitingOctets += packet.data.length;
  }

  #waitNoMore({ packet }: IncomingRequest): void {
    this.#waiting -= 1;
    this.#waitingOctets -= packet.data.length;
  }

  #answer(request: IncomingRequest, exchange: CoapExchange, outcome: CoapOutcome): void {
    const { message } = exchange;
    let answer: Representation | undefined;
    try {
      answer = this.#decide(request, message, outcome);
    } catch (thrown) {
      this.#context.log.error(`a request could not be answered: ${messageOf(thrown)}`, thrown);
      answer = diagnose(CODE.INTERNAL_SERVER_ERROR, clip(messageOf(thrown)));
      this.#responder.respond(request, answer, { block2: undefined });
    }
    if (answer !== undefined) exchange.done(answer.reply);
    else if (!exchange.ended) exchange.done();
    if (request.options.isPlain) message.forgetPacket();
  }

  /** @returns what was sent, `undefined` when nothing was */
  #decide(request: IncomingRequest, message: CoapMessage, outcome: CoapOutcome): Representation | undefined {
    switch (outcome.type) {
      case 'matched':
        return this.#answerMatch(request, message, outcome);
      case 'fault': {
        if (outcome.fault.drop === true) return undefined;
        const code = parseResponseCode(outcome.fault.code ?? '5.00');
        const answer = classOf(code) > 3 ? diagnose(code, 'fault injected') : new Representation(code);
        return this.#responder.respond(request, answer);
      }
      case 'aborted':
        return undefined;
      default:
        return this.#responder.respond(request, this.#explainMiss(message));
    }
  }

  #answerMatch(request: IncomingRequest, message: CoapMessage, match: CoapMatch): Representation {
    const { mock } = match;
    const answer = representMock(mock.compiled, message, (template) => match.render(template));
    if (!wantsToObserve(request, message) || classOf(answer.code) !== 2) {
      return this.#responder.respond(request, answer);
    }
    const observe = this.#observers.add(request, message, mock, answer);
    return this.#responder.respond(request, answer, { observe });
  }

  #explainMiss(message: CoapMessage): Representation {
    const { method, path, accept } = message;
    if (accept !== undefined && this.#context.mocks.matches(message.acceptingAnything())) {
      return diagnose(CODE.NOT_ACCEPTABLE, `no mock answers with ${nameOfFormat(accept)}`);
    }
    return diagnose(CODE.NOT_FOUND, `no mock matched ${method} ${clip(path)}`);
  }

  #isDiscovery(message: CoapMessage): boolean {
    return (
      message.path === DISCOVERY_PATH && message.method === 'GET' && !this.#context.mocks.matches(message)
    );
  }

  *#answerDiscovery(request: IncomingRequest, exchange: CoapExchange): Generator<undefined, void> {
    try {
      const answer = yield* this.#discover(exchange.message);
      exchange.done(this.#responder.respond(request, answer).reply);
    } finally {
      this.#waitNoMore(request);
    }
  }

  *#discover(message: CoapMessage): Generator<undefined, Representation> {
    const { accept } = message;
    if (accept !== undefined && accept !== LINK_FORMAT) {
      return diagnose(CODE.NOT_ACCEPTABLE, `the list of resources is ${nameOfFormat(LINK_FORMAT)}`);
    }
    const filters = filtersIn(message);
    if (filters.length > MAX_FILTERS) {
      return diagnose(CODE.BAD_REQUEST, `${filters.length} filters; at most ${MAX_FILTERS} are taken`);
    }
    const links = yield* listLinks(this.#context.mocks.values(), filters);
    return new Representation(CODE.CONTENT, Buffer.from(links), LINK_FORMAT);
  }
}

function wantsToObserve({ options }: IncomingRequest, { method }: CoapMessage): boolean {
  return options.observe === 0 && (method === 'GET' || method === 'FETCH');
}

function clip(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
}
