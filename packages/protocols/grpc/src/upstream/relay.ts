import { messageOf, runAtOnce, type Upstream } from '@backlot/core/plugin';
import { Metadata } from '@grpc/grpc-js';
import {
  canonicalJson,
  Differences,
  exactPattern,
  jsonPattern,
  redactHeaders,
  redactJsonSteps,
  relayMessage,
  UpstreamLog,
  type KeptAnswer,
  type OutcomeOf,
  type UpstreamDesk,
} from '@backlot/kit/upstream';
import { GrpcMessage } from '../message.js';
import type { Method } from '../schema/model.js';
import type { GrpcContext, GrpcExchange } from '../shape.js';
import { nameOfCode } from '../wire/status.js';
import {
  errorFields,
  metadataFields,
  responseField,
  showMessage,
  streamFields,
  type Shown,
} from './answer-value.js';
import { LearnedSchemas, type Learned } from './learned-schemas.js';
import { UpstreamCall, type UpstreamStatus } from './upstream-call.js';
import { UpstreamSessions } from './upstream-sessions.js';

/** What a call needs to be answered by the upstream. */
export interface RelayedCall {
  readonly exchange: GrpcExchange;
  readonly method: Method | undefined;
  readonly metadata: Metadata;
  readonly timeout: string | undefined;
  /** Whether its messages may go on for ever in both directions, or those of the client. */
  readonly isEndless: boolean;
  /** Whether the client has sent one message, and all that it will send. */
  readonly isOne: () => boolean;
  /** The call is the upstream's: sends what the client has sent, and will send. */
  readonly begin: (call: UpstreamCall) => void;
  readonly sendMetadata: (metadata: Metadata) => void;
  /** @param sent - called when the next one may follow */
  readonly sendMessage: (bytes: Buffer, sent: () => void) => void;
  readonly sendStatus: (status: UpstreamStatus) => void;
  /** Answers without the upstream, and ends the exchange. */
  readonly answer: (
    outcome: OutcomeOf<GrpcExchange>,
    compare: ((sent: readonly Buffer[], status: UpstreamStatus) => void) | undefined,
  ) => void;
}

/** An answer, whole or as far as it is kept. */
interface Answer {
  readonly metadata: Metadata | undefined;
  readonly messages: readonly Buffer[];
  readonly status: UpstreamStatus;
  /** Whether the client has the messages. */
  readonly isGiven: boolean;
  /** Whether {@link messages} are all of them. */
  readonly isWhole: boolean;
}

/** The most bytes of an answer that are searched for secrets, and kept. */
const MAX_KEPT = 2 * 1024 * 1024;
const MAX_NOTES = 20;
/** Longer requests are not compared. */
const MAX_REQUEST = 64 * 1024;

/** What the relays of a service have in common. */
export interface RelayParts {
  readonly desk: UpstreamDesk;
  /** The authorities of the certificates of upstreams, as they were read at the start. */
  readonly authorities: Buffer | undefined;
  readonly learned: Learned;
}

/** Asks an upstream in the place of mocks, or beside them. One for each server. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly schemas: LearnedSchemas;
  readonly #sessions: UpstreamSessions;
  readonly #context: GrpcContext;
  readonly #log: UpstreamLog;
  /** Whether it is one server of many, so that recordings are for its host. */
  readonly #isOneOfMany: boolean;

  constructor(context: GrpcContext, upstream: Upstream, { desk, authorities, learned }: RelayParts) {
    this.#context = context;
    this.desk = desk;
    this.#isOneOfMany = upstream.isOpen;
    this.#log = new UpstreamLog(upstream, (text) => context.log.warn(text));
    this.#sessions = new UpstreamSessions(upstream, authorities, this.#log);
    this.schemas = new LearnedSchemas(context, this.#sessions, learned);
  }

  /** Takes a call. @returns a promise that resolves when it is answered */
  take(call: RelayedCall): Promise<void> {
    const { exchange, method } = call;
    const { message } = exchange;
    const match = this.desk.records && !call.isEndless ? matchOf(message, this.#isOneOfMany) : undefined;
    return relayMessage<Answer, GrpcExchange>(this.desk, {
      exchange,
      key: match?.problem === undefined ? match?.key : undefined,
      isEndless: call.isEndless,
      upstreamLog: this.#log,
      kept: () => withoutSecrets(message),
      forward: (passes) => this.#forward(call, passes),
      pass: ({ metadata, messages, status, isGiven }) => {
        if (!isGiven) {
          if (metadata !== undefined) call.sendMetadata(metadata);
          for (const bytes of messages) call.sendMessage(bytes, () => undefined);
        }
        call.sendStatus(status);
      },
      refuse: (problem) => call.sendStatus({ code: 14, message: problem.message, trailers: new Metadata() }),
      keep: (answer) => this.#keep(call, answer, match),
      answer: (outcome, compare) =>
        call.answer(
          outcome,
          compare &&
            ((messages, status) =>
              compare({ metadata: undefined, messages, status, isGiven: true, isWhole: true })),
        ),
      differences: (mocked, real) => this.#differences(method, mocked, real),
    });
  }

  /** Closes the session as soon as no call needs it. */
  retire(): void {
    this.#sessions.retire();
  }

  stop(): void {
    this.#sessions.stop();
  }

  #forward(call: RelayedCall, passes: boolean): Promise<Answer> {
    const { exchange, method, metadata, timeout } = call;
    const givesStream = method?.givesStream === true;
    return new Promise((resolve, reject) => {
      const kept: Buffer[] = [];
      let size = 0;
      let given = 0;
      let head: Metadata | undefined;
      const give = (bytes: Buffer, sent: () => void): void => {
        if (given === 0) {
          exchange.noteUpstream({ answered: true });
          exchange.started({ status: nameOfCode(0) });
          call.sendMetadata(head ?? new Metadata());
        }
        given += 1;
        call.sendMessage(bytes, sent);
      };
      const upstream = new UpstreamCall(
        this.#sessions,
        { path: exchange.message.path, metadata, timeout },
        {
          metadata: (came) => {
            head = came;
            // A stream may be open for long before it has a message.
            if (passes && givesStream) call.sendMetadata(came);
          },
          message: (bytes, goOn) => {
            size += bytes.length;
            if (size <= MAX_KEPT) kept.push(bytes);
            if (!passes) {
              if (size <= MAX_KEPT) return goOn();
              upstream.cancel();
              return reject(new Error('its answer is longer than 2 MiB'));
            }
            // The one message of an answer is held back until it is recorded.
            if (!givesStream && given === 0 && kept.length === 1) return goOn();
            if (given === 0 && !givesStream) give(kept[0] ?? bytes, () => undefined);
            give(bytes, goOn);
          },
          status: (status) => {
            const isGiven = given > 0 || (givesStream && passes && head !== undefined);
            resolve({ metadata: head, messages: kept, status, isGiven, isWhole: size <= MAX_KEPT });
          },
          lost: reject,
        },
      );
      call.begin(upstream);
    });
  }

  #keep(call: RelayedCall, answer: Answer, match: CallMatch | undefined): KeptAnswer {
    const { status, isWhole, metadata } = answer;
    const { code, message } = status;
    const head = {
      status: nameOfCode(code),
      ...(code === 0 || message === '' ? {} : { headers: { 'grpc-message': redactedText(message) } }),
    };
    let shown: readonly Shown[];
    try {
      shown = answer.messages.map((bytes) => showMessage(call.method, bytes));
    } catch (thrown) {
      return { reply: head, recordings: messageOf(thrown) };
    }
    const reply = { ...head, ...bodyOf(shown) };
    if (match === undefined)
      return { reply, recordings: call.isEndless ? 'calls with a stream of the client are not' : [] };
    try {
      if (!isWhole) throw new Error('it is longer than 2 MiB');
      if (!call.isOne()) throw new Error('the client has sent other than one message');
      if (match.problem !== undefined) throw new Error(match.problem);
      const fields = {
        ...this.#answerFields(call.method, shown, status),
        ...named('metadata', metadata && metadataFields(metadata)),
        ...named('trailers', metadataFields(status.trailers)),
      };
      const { key, name, match: condition, patterns } = match;
      return { reply, patterns, recordings: [{ key, name, match: condition, answer: fields }] };
    } catch (thrown) {
      return { reply, recordings: messageOf(thrown) };
    }
  }

  #answerFields(
    method: Method | undefined,
    shown: readonly Shown[],
    status: UpstreamStatus,
  ): Readonly<Record<string, unknown>> {
    const error = status.code === 0 ? {} : { error: errorFields(status, this.#context.mocks.index.registry) };
    if (method?.givesStream ?? shown.length > 1) return { stream: streamFields(shown), ...error };
    const [only] = shown;
    if (status.code !== 0) return error;
    if (only === undefined) throw new Error('it has no message');
    return { response: responseField(only) };
  }

  #differences(method: Method | undefined, mocked: Answer, real: Answer): readonly string[] {
    const differences = new Differences();
    const [ours, theirs] = [mocked, real].map(({ status: { code, message }, messages }) => ({
      status: nameOfCode(code),
      ...(code === 0 ? {} : { message: redactedText(message) }),
      messages: messages.map((bytes) => {
        const shown = showMessage(method, bytes);
        return 'bytes' in shown ? { base64: shown.bytes.toString('base64') } : shown.value;
      }),
    }));
    differences.compare('answer', ours, theirs);
    return differences.found;
  }
}

/** What a recording of a call is for. */
interface CallMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
  /** Why there can be no recording. */
  readonly problem: string | undefined;
}

/** @param namesHost - whether there are calls for other hosts */
function matchOf(message: GrpcMessage, namesHost: boolean): CallMatch {
  const patterns: string[] = [];
  const { path, request, hasRequest, host } = message;
  const isObject = typeof request === 'object' && request !== null;
  const isLong = isObject && JSON.stringify(request).length > MAX_REQUEST;
  // A mock for any request of the method would answer all others as well.
  const problem =
    hasRequest && !isObject
      ? 'no schema has its method'
      : isLong
        ? 'its request is longer than 64 KiB, which is not compared'
        : undefined;
  const place =
    !isObject || isLong
      ? { present: true }
      : jsonPattern(request, 'request', (at, rule) => {
          if (patterns.length < MAX_NOTES) patterns.push(`${at}: ${rule}`);
        });
  const match = {
    ...(namesHost ? { host: exactPattern(host) } : {}),
    method: path.slice(1),
    match: { $: place },
  };
  const name = namesHost ? host + path : path.slice(1);
  return { key: JSON.stringify(canonicalJson(match)), name, match, patterns, problem };
}

/** The call as the journal keeps it. */
function withoutSecrets(message: GrpcMessage): GrpcMessage {
  const { path, remote, body, headers, request, hasRequest, isWhole, host } = message;
  const redacted = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(headers)) {
    const values = [value].flat().map((each) => redactHeaders([name, each])[1] ?? '');
    redacted.set(name, values.length === 1 ? (values[0] ?? '') : values);
  }
  const shown = typeof body === 'string' ? runAtOnce(redactJsonSteps(body)) : body;
  const first =
    typeof shown === 'string' && typeof request === 'object' ? (JSON.parse(shown) as unknown) : shown;
  return new GrpcMessage(
    path,
    remote,
    { host, show: () => Object.fromEntries(redacted) },
    {
      body: shown,
      messages: hasRequest ? [first] : [],
      isWhole,
    },
  );
}

function bodyOf(shown: readonly Shown[]): { readonly body?: string | Buffer } {
  const [only] = shown;
  if (only === undefined) return {};
  if ('bytes' in only)
    return { body: Buffer.concat(shown.map((each) => ('bytes' in each ? each.bytes : Buffer.alloc(0)))) };
  return { body: shown.map((each) => ('text' in each ? each.text : '')).join('\n') };
}

function redactedText(text: string): string {
  return runAtOnce(redactJsonSteps(text));
}

function named(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value };
}
