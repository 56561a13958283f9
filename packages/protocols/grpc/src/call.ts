import { Metadata } from '@grpc/grpc-js';
import { messageOf } from '@backlot/core/plugin';
import type { CompiledMetadata } from './answer/compiled-metadata.js';
import { encodeAnswer, type EncodedMessage } from './answer/compiled-message.js';
import { encodeMessage } from './codec/encode.js';
import { CallContract } from './contract/call-contract.js';
import type { Relay } from './upstream/relay.js';
import type { UpstreamCall, UpstreamStatus } from './upstream/upstream-call.js';
import { makeAnswer } from './answer/made-answer.js';
import { MessageDelivery } from './answer/message-delivery.js';
import { retryInfo } from './answer/retry-info.js';
import { StreamAnswer, type StreamCall } from './answer/stream-answer.js';
import { ENDED_WELL, makeEnding, makeGoodEnding, wellFormed, type Ending } from './answer/ending.js';
import { TooManyValues } from './codec/decode.js';
import { DEFAULT_FAULT } from './fault.js';
import type { CompiledGrpc } from './matcher.js';
import { GrpcMessage, type Requests } from './message.js';
import { RequestMessages } from './requests.js';
import type { Method } from './schema/model.js';
import type { GrpcContext, GrpcExchange, GrpcMatch, GrpcOutcome } from './shape.js';
import { CallHeaders } from './wire/call-headers.js';
import { readOn } from './wire/read-on.js';
import type { RpcCall, RpcListener } from './wire/rpc-call.js';
import { Code, nameOfCode, parseCode } from './wire/status.js';

type FaultOutcome = Extract<GrpcOutcome, { type: 'fault' }>;

const OK = { code: 0, details: 'OK', metadata: null };
/** What a stream of any number of messages must have for a client to go on. */
const NOTHING = new Metadata();
const NO_HEADERS = new CallHeaders({}, false);

/** One call, from its headers to its status. */
export class Call implements StreamCall, RpcListener {
  readonly #context: GrpcContext;
  readonly #call: RpcCall;
  readonly #method: Method | undefined;
  readonly #requests: RequestMessages;
  readonly #onEnd: (call: Call) => void;
  #headers = NO_HEADERS;
  #exchange: GrpcExchange | undefined;
  #message: GrpcMessage | undefined;
  #stream: StreamAnswer | undefined;
  #match: GrpcMatch | undefined;
  readonly #delivery = new MessageDelivery();
  /** What is done once the client has sent its last message. */
  #whenWhole: (() => void) | undefined;
  #isDecided = false;
  /** Whether the upstream may still get the call. */
  #isAsked = false;
  #hasEnded = false;
  readonly #relay: Relay | undefined;
  /** What the upstream was asked for, once the call is its own. */
  #upstream: UpstreamCall | undefined;
  /** What was asked of the upstream, also where mocks answer. */
  #far: UpstreamCall | undefined;
  /** Messages that the upstream may get, while that is not decided. */
  #early: Buffer[] = [];
  /** Looks at the whole answer of a mock. */
  #compare: ((sent: readonly Buffer[], status: UpstreamStatus) => void) | undefined;
  readonly #sent: Buffer[] = [];
  readonly #contract: CallContract | undefined;

  /** @param relay - asks the upstream, where there is one */
  constructor(context: GrpcContext, call: RpcCall, onEnd: (call: Call) => void, relay?: Relay) {
    this.#relay = relay;
    this.#context = context;
    this.#call = call;
    this.#onEnd = onEnd;
    // What is of another type at its upstream is passed on without being read.
    this.#method =
      relay?.schemas.reads(call.path) === false ? undefined : context.mocks.index.registry.method(call.path);
    this.#requests = new RequestMessages(this.#method, call.makeDecoder);
    const { contract } = context;
    this.#contract = contract && new CallContract(contract, call.path, call.makeDecoder !== undefined);
  }

  /** Begins to read. */
  start(): void {
    const { connection, rpc } = this.#call;
    connection.busy();
    rpc.start(this);
  }

  onReceiveMetadata(headers: CallHeaders): void {
    this.#headers = headers;
    if (
      this.#method?.takesStream !== false &&
      this.#relay === undefined &&
      this.#context.mocks.index.hasEarly
    )
      this.#decide(false);
    if (!this.#delivery.isOneByOne) this.#call.rpc.startRead();
  }

  /** Ends a streaming answer normally, because the server is reset or stops. */
  endStream(): void {
    this.#stream?.close(undefined);
  }

  send(bytes: Buffer, sent?: () => void): void {
    const problem = this.#contract?.answerRefusal(bytes, this.#method === undefined);
    if (problem !== undefined)
      return this.#finish(Code.INTERNAL, `mock "${this.#match?.mock.id ?? ''}" ${problem}`);
    if (this.#compare !== undefined) this.#sent.push(bytes);
    this.#call.rpc.sendMessage(bytes, sent);
  }

  readOn(): void {
    if (!this.#hasEnded) readOn(this.#call.rpc);
  }

  end(): void {
    if (this.#hasEnded || this.#match?.mock.compiled.keepOpen === true) return;
    this.endAs(makeEnding);
  }

  /** Ends with what is made of the mock: its trailers, and perhaps its error. */
  endAs(make: (match: GrpcMatch) => Ending, body = this.#stream?.shown): void {
    if (this.#hasEnded) return;
    let ending = ENDED_WELL;
    try {
      if (this.#match !== undefined) ending = make(this.#match);
    } catch (thrown) {
      return this.fail(thrown);
    }
    this.#finish(ending.code, ending.message, ending.metadata, body);
  }

  close(error: string | undefined, cause?: unknown): void {
    if (error === undefined) this.endAs(makeGoodEnding);
    else this.#finish(codeOf(cause), error, undefined, this.#stream?.shown);
  }

  fail(thrown: unknown): void {
    const mock = this.#match?.mock.id ?? '';
    this.#finish(Code.INTERNAL, `mock "${mock}": ${messageOf(thrown)}`, undefined, this.#stream?.shown);
  }

  reset(): void {
    if (this.#hasEnded) return;
    this.#stop();
    this.#exchange?.done({ status: nameOfCode(Code.RESOURCE_EXHAUSTED), ...bodyOf(this.#stream?.shown) });
    this.#call.reset();
  }

  onReceiveMessage(bytes: Buffer): void {
    if (this.#hasEnded) return;
    const fail = (thrown: unknown): void => {
      if (thrown instanceof TooManyValues)
        return this.#refuse(bytes, `the request is too large: ${thrown.message}`, Code.RESOURCE_EXHAUSTED);
      this.#refuse(bytes, `the request is no ${this.#method?.request.fullName ?? ''}: ${messageOf(thrown)}`);
    };
    let adding: Promise<void> | undefined;
    try {
      adding = this.#requests.add(bytes);
    } catch (thrown) {
      return fail(thrown);
    }
    if (adding === undefined) return this.#take(bytes);
    const { connection } = this.#call;
    adding.then(
      connection.isolate(() => this.#take(bytes)),
      connection.isolate(fail),
    );
  }

  /** A request message has been decoded. */
  #take(bytes: Buffer): void {
    if (this.#hasEnded) return;
    this.#contract?.add(bytes);
    if (this.#exchange !== undefined && this.#isRefused(this.#exchange)) return;
    const { count } = this.#requests;
    const { rpc } = this.#call;
    const newest = this.#requests.takeNewest();
    if (this.#relay !== undefined) {
      const onwards = this.#protobufOf(bytes, newest);
      if (this.#upstream !== undefined) return this.#upstream.send(onwards, () => this.readOn());
      if (!this.#isDecided || this.#isAsked) this.#early.push(onwards);
    }
    if (this.#method?.takesStream === false) {
      if (count > 1) return this.#refuse(bytes, `${this.#call.path} takes one request message, got more`);
      rpc.startRead();
      return;
    }
    if (newest !== undefined) this.#delivery.add(this.#makeMessage(newest), bytes.length);
    if (!this.#isDecided) this.#decide(true);
    const { arriving } = this.#requests;
    if (arriving?.isFull === true) arriving.whenRoom(() => this.readOn());
    else if (this.#delivery.wantsNext()) readOn(rpc);
  }

  onReceiveHalfClose(): void {
    if (this.#hasEnded) return;
    this.#requests.end();
    if (this.#upstream !== undefined) return this.#upstream.end();
    if (!this.#isDecided) {
      if (this.#requests.count === 0 && this.#method?.takesStream === false)
        return this.#refuse(undefined, `${this.#call.path} takes one request message, got none`);
      this.#decide(true);
      return;
    }
    if (this.#delivery.finish()) return;
    const next = this.#whenWhole;
    this.#whenWhole = undefined;
    next?.();
  }

  /** The request breaks the rules: no mock is asked. */
  #refuse(bytes: Buffer | undefined, problem: string, code: number = this.#call.malformed): void {
    if (this.#hasEnded) return;
    if (this.#exchange === undefined) {
      const { body } = this.#requests;
      this.#exchange = this.#context.receive(
        this.#makeMessage({ body: body ?? bytes, messages: this.#requests.messages, isWhole: true }),
      );
    }
    this.#finish(code, problem);
  }

  #makeMessage(requests: Requests = this.#requests): GrpcMessage {
    const { path, connection, timeout } = this.#call;
    return new GrpcMessage(path, connection.remote, this.#headers, requests, timeout);
  }

  #decide(isFinal: boolean): void {
    const message = (this.#message = this.#makeMessage());
    const isFirst = this.#exchange === undefined;
    this.#exchange ??= this.#context.receive(message);
    if (this.#isRefused(this.#exchange)) return;
    if (this.#relay !== undefined) return this.#ask(this.#relay, this.#exchange);
    if (!isFinal && !this.#isEarlyPossible(message)) return;
    const outcome = this.#exchange.resolve({ final: isFinal, ...(isFirst ? {} : { message }) });
    if (!(outcome instanceof Promise)) return this.#answer(outcome);
    this.#isDecided = true;
    outcome.then(
      this.#call.connection.isolate((late) => this.#answerLate(late)),
      this.#call.connection.isolate((thrown) => {
        throw thrown;
      }),
    );
  }

  /** Ends a call that the contract does not allow. */
  #isRefused(exchange: GrpcExchange): boolean {
    const refusal = this.#contract?.refusal(exchange);
    if (refusal === undefined) return false;
    this.#isDecided = true;
    this.#finish(refusal.code, refusal.message);
    return true;
  }

  /** Has the call answered by mocks, by the upstream, or by both. */
  #ask(relay: Relay, exchange: GrpcExchange): void {
    this.#isDecided = true;
    this.#isAsked = true;
    const { rpc, timeout, connection } = this.#call;
    const method = this.#method;
    relay
      .take({
        exchange,
        method,
        metadata: this.#headers.metadata,
        timeout,
        isEndless: method?.takesStream === true,
        isOne: () => this.#requests.isWhole && this.#requests.count === 1,
        begin: (upstream) => this.#begin(upstream, method),
        sendMetadata: (metadata) => {
          if (!this.#hasEnded) rpc.sendMetadata(metadata);
        },
        sendMessage: (bytes, sent) => {
          if (!this.#hasEnded) rpc.sendMessage(bytes, connection.isolate(sent));
        },
        sendStatus: ({ code, message, trailers }) => this.#sendStatus(code, message, trailers),
        answer: (outcome, compare) => {
          this.#isAsked = false;
          this.#early = [];
          this.#compare = compare;
          this.#answer(outcome);
        },
      })
      .catch((thrown: unknown) => this.#finish(Code.INTERNAL, messageOf(thrown)));
  }

  /** Sends what has come to the upstream; where mocks answer as well, that is all. */
  #begin(upstream: UpstreamCall, method: Method | undefined): void {
    this.#far = upstream;
    const isAlone = this.#relay?.desk.mode !== 'diff' || method?.takesStream !== false;
    for (const bytes of this.#early) upstream.send(bytes, () => undefined);
    if (this.#requests.isWhole) upstream.end();
    this.#early = [];
    if (!isAlone || this.#requests.isWhole) return;
    this.#upstream = upstream;
    this.#answerAsWhole();
  }

  /** A message as gRPC has it, also where its client writes JSON. */
  #protobufOf(bytes: Buffer, newest: Requests | undefined): Buffer {
    if (this.#call.makeDecoder === undefined || this.#method === undefined) return bytes;
    const [value] = newest?.messages ?? this.#requests.messages.slice(-1);
    return encodeMessage(this.#method.request, value);
  }

  /** Without a mock that may answer now, the call waits for its first message, so that the journal has it. */
  #isEarlyPossible(message: GrpcMessage): boolean {
    return this.#context.mocks.matches(message);
  }

  /** A mock may turn out to be used up while its answer is waited for: then others are asked, with what has come meanwhile. */
  #answerLate(outcome: GrpcOutcome): void {
    if (outcome.type === 'undecided') {
      this.#isDecided = false;
      if (this.#requests.count > 0 || this.#requests.isWhole) this.#decide(true);
      return;
    }
    this.#answer(outcome);
  }

  #answer(outcome: GrpcOutcome): void {
    if (outcome.type === 'undecided') return;
    this.#isDecided = true;
    if (this.#hasEnded) return;
    switch (outcome.type) {
      case 'matched':
        this.#match = outcome;
        this.#contract?.beginAnswer();
        return this.#answerMatch(outcome);
      case 'fault':
        return this.#answerFault(outcome);
      case 'aborted':
        return;
      default:
        if (this.#context.config.unmatched === 'made' && this.#method !== undefined)
          return this.#answerMade(this.#method);
        return this.#finish(Code.UNIMPLEMENTED, `method ${this.#call.path} not mocked`);
    }
  }

  /** What no mock answers is answered by the type of the method, once the client has sent all. */
  #answerMade(method: Method): void {
    this.#contract?.beginAnswer();
    this.#answerAsWhole();
    const answer = (): void => {
      let made: EncodedMessage;
      try {
        made = makeAnswer(method, this.#context.random('made', method.path));
      } catch (thrown) {
        return this.#finish(
          Code.INTERNAL,
          `no ${method.response.fullName} can be made: ${messageOf(thrown)}`,
        );
      }
      this.#exchange?.answeredFromData();
      this.#call.rpc.sendMessage(made.bytes);
      this.#finish(Code.OK, '', undefined, made.text);
    };
    if (this.#requests.isWhole) answer();
    else this.#whenWhole = answer;
  }

  #answerFault({ fault, given }: FaultOutcome): void {
    if (given.status !== undefined || given.body !== undefined) {
      const status = given.status ?? 503;
      this.#stop();
      this.#call.sendHttp(status, given.body ?? '');
      this.#exchange?.done({ status, ...bodyOf(given.body) });
      return;
    }
    const { code: named = DEFAULT_FAULT.code, message = DEFAULT_FAULT.message, retry_delay: delay } = fault;
    const code = parseCode(named);
    this.#finish(code, message, delay === undefined ? undefined : retryInfo(code, message, delay));
  }

  #answerMatch(match: GrpcMatch): void {
    let compiled: CompiledGrpc;
    try {
      ({ compiled } = match.mock);
    } catch (thrown) {
      return this.fail(thrown);
    }
    if (compiled.rules === undefined) this.#answerAsWhole();
    const isStreaming =
      this.#method?.givesStream ?? (compiled.stream !== undefined || compiled.rules !== undefined);
    if (isStreaming) return this.#openStream(match);
    if (compiled.error !== undefined || this.#requests.isWhole) this.#answerOnce(match);
    else this.#whenWhole = () => this.#answerOnce(match);
  }

  #answerOnce(match: GrpcMatch): void {
    const { compiled } = match.mock;
    let encoded: EncodedMessage | undefined;
    try {
      const isLost = compiled.response === undefined && compiled.stream !== undefined;
      if (isLost && compiled.error === undefined)
        throw new Error(`has no "response", and ${this.#call.path} answers with one message`);
      if (compiled.metadata !== undefined) this.#sendMetadata(compiled.metadata, match);
      if (compiled.error === undefined)
        encoded = encodeAnswer(compiled.response, this.#method?.response, match);
    } catch (thrown) {
      return this.fail(thrown);
    }
    // The status follows the message whether it has been written or not.
    if (encoded !== undefined) this.send(encoded.bytes);
    this.endAs(makeEnding, encoded?.text);
  }

  #openStream(match: GrpcMatch): void {
    const { compiled } = match.mock;
    const isOwn = compiled.stream !== undefined;
    try {
      if (compiled.metadata === undefined) this.#call.rpc.sendMetadata(NOTHING);
      else this.#sendMetadata(compiled.metadata, match);
    } catch (thrown) {
      return this.fail(thrown);
    }
    const { response, error } = compiled;
    const single =
      response === undefined || error !== undefined || compiled.rules !== undefined
        ? []
        : [{ message: response, delay: 0 }];
    const [context, type] = [this.#context, this.#method?.response];
    const stream = new StreamAnswer({ context, match, call: this, type });
    this.#stream = stream;
    this.#exchange?.started({ status: nameOfCode(Code.OK) });
    const { rules } = compiled;
    if (rules !== undefined) {
      const parts = { context, match, rules, type, stream, call: this };
      this.#delivery.answerOneByOne(parts, this.#requests.isWhole);
    }
    const play = (): void =>
      stream.play({
        entries: compiled.stream ?? single,
        match,
        make: ({ message }) => encodeAnswer(message, type, match),
        done: () => {
          if (!this.#delivery.next()) this.end();
        },
      });
    if (isOwn || rules !== undefined || error !== undefined || this.#requests.isWhole) play();
    else this.#whenWhole = play;
  }

  /** Messages are not answered one by one: those that have come need not be kept, and more may come. */
  #answerAsWhole(): void {
    this.#requests.keepsNewest = false;
    if (this.#delivery.answerAsWhole()) this.readOn();
  }

  #sendMetadata(metadata: CompiledMetadata, match: GrpcMatch): void {
    this.#call.rpc.sendMetadata(metadata.make((template) => match.render(template)));
  }

  #sendStatus(code: number, message: string, metadata: Metadata | undefined): void {
    if (this.#hasEnded) return;
    this.#stop();
    const { rpc } = this.#call;
    if (code === OK.code && metadata === undefined) rpc.sendStatus(OK);
    else rpc.sendStatus({ code, details: wellFormed(message), metadata: metadata ?? null });
  }

  #finish(code: number, message: string, metadata?: Metadata, body?: string): void {
    if (this.#hasEnded) return;
    this.#compare?.(this.#sent, { code, message, trailers: metadata ?? NOTHING });
    this.#sendStatus(code, message, metadata);
    if (this.#exchange !== undefined) this.#contract?.end(this.#exchange, code);
    this.#exchange?.done({
      status: nameOfCode(code),
      ...(code === OK.code || message === '' ? {} : { headers: { 'grpc-message': message } }),
      ...bodyOf(body),
    });
  }

  /** The client has left, or the library has ended the call: its deadline is over, or a message was too large. */
  onCancel(): void {
    if (this.#hasEnded) return;
    const sent = this.#call.sentStatus();
    this.#stop();
    this.#exchange ??= this.#context.receive(this.#makeMessage());
    this.#exchange.started({ status: nameOfCode(sent ?? Code.CANCELLED) });
    this.#exchange.abort();
  }

  #stop(): void {
    this.#hasEnded = true;
    this.#message?.settle();
    this.#requests.arriving?.end();
    this.#early = [];
    this.#far?.cancel();
    this.#whenWhole = undefined;
    this.#stream?.stop();
    this.#call.connection.idle();
    this.#onEnd(this);
  }
}

/** The status of what a function has thrown that was sending into the stream: its `code`, else ABORTED. */
function codeOf(thrown: unknown): number {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return Code.ABORTED;
  const { code } = thrown;
  if (typeof code !== 'string' && typeof code !== 'number') return Code.ABORTED;
  try {
    return parseCode(code);
  } catch {
    return Code.ABORTED;
  }
}

function bodyOf(body: string | undefined): { readonly body?: string } {
  return body === undefined || body === '' ? {} : { body };
}
