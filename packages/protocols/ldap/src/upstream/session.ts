import { runInSlices, type Context } from '@backlot/core/plugin';
import { describeClient, rollLogin, type Connection } from '@backlot/kit';
import { relayMessage } from '@backlot/kit/upstream';
import { faultResult, LdapConnection, type LdapExchange, type LdapOutcome } from '../connection.js';
import { Directory } from '../data/directory.js';
import { parseDn } from '../data/dn.js';
import { Selection } from '../data/selection.js';
import type { KnownNames } from '../known-names.js';
import { LdapMessage } from '../message.js';
import { identityOf, mechanismOf, refuseBind, type LoginRefusal } from '../operations/bind.js';
import { OPERATIONS, pathOf } from '../operations/describe.js';
import { mockedResultOf } from '../operations/mocked-result.js';
import { findEntries, type Found } from '../operations/search.js';
import { RESULT } from '../result-codes.js';
import { element, encodeMessage } from '../wire/encode.js';
import {
  decodeControls,
  decodeRequest,
  type Control,
  type Envelope,
  type Request,
  type SearchRequest,
} from '../wire/request.js';
import { ANSWER_TO, OID, TAG } from '../wire/tags.js';
import { differencesOf, type ReadAnswer } from './compared.js';
import { formatKept, redactFilter } from './kept-request.js';
import type { LdapLine, LineAnswer } from './line.js';
import { isFurtherPage, Pages } from './pages.js';
import { formatEntry, readAttributes } from './read-answer.js';
import { keyOf, recordingsOf, type RecordedRequest } from './recordings.js';
import type { LdapShape } from '../shape.js';
import type { Relay } from './relay.js';

/** How much the journal shows of an answer. */
const MAX_SHOWN = 64 * 1024;

/** What a server has that clients of an upstream share. */
export interface RelayedServices {
  readonly relay: Relay;
  readonly known: KnownNames;
  /** Upgrades the connection to TLS and answers; absent where there is none. */
  readonly startTls?: (
    conversation: LdapConnection,
    connection: Connection,
    id: number,
    exchange: LdapExchange,
  ) => void;
}

/** A client whose requests go to an upstream, over a connection of its own: who it has bound as holds for it alone. */
export class RelayedSession {
  readonly #connection: Connection;
  readonly #services: RelayedServices;
  readonly #context: Context<LdapShape>;
  readonly #conversation: LdapConnection;
  readonly #line: LdapLine;
  /** Mocks alone answer in the place of the upstream, and nothing that is kept here. */
  readonly #nothing = new Directory(undefined);
  readonly #pages = new Pages();
  #identity = '';

  constructor(connection: Connection, context: Context<LdapShape>, services: RelayedServices) {
    this.#connection = connection;
    this.#context = context;
    this.#services = services;
    this.#line = services.relay.lineFor(connection);
    describeClient(connection, () => ({ user: this.#identity.replace(/^dn:/, '') }));
    this.#conversation = new LdapConnection(connection, context, (envelope) => this.#take(envelope));
  }

  #take(envelope: Envelope): void {
    const { id, tag, operation, controls } = envelope;
    const bytes = encodeMessage(
      id,
      operation,
      controls === undefined ? undefined : element(TAG.controls, controls),
    );
    const request = this.#read(envelope);
    const message = this.#messageOf(tag, request);
    const exchange = this.#conversation.record(message);
    const answerTag = ANSWER_TO.get(tag);
    if (answerTag === undefined) {
      exchange.noteUpstream({ answered: true }, message);
      this.#line.send(bytes);
      exchange.done();
      if (request?.type === 'abandon') {
        this.#conversation.abandon(request.id);
        this.#line.abandon(request.id);
      } else this.#conversation.leave();
      return;
    }
    const { startTls } = this.#services;
    if (request?.type === 'extended' && request.oid === OID.startTls) {
      const text = 'the listener has no TLS to begin with';
      if (startTls !== undefined) startTls(this.#conversation, this.#connection, id, exchange);
      else this.#conversation.answer(id, answerTag, exchange, { code: RESULT.protocolError, message: text });
      return;
    }
    const asked = { request, message, controls: readControls(controls) };
    const relay = (): Promise<void> => this.#relay(id, answerTag, bytes, asked, exchange);
    const isBind = request?.type === 'bind';
    const rolled = isBind ? rollLogin(this.#context) : undefined;
    const begin = (refusal: LoginRefusal | undefined): Promise<void> => {
      if (refusal === undefined) return relay();
      exchange.noteUpstream({}, message);
      this.#conversation.answer(id, answerTag, exchange, refuseBind(refusal).result);
      return Promise.resolve();
    };
    const work = rolled instanceof Promise ? rolled.then(begin) : begin(rolled);
    this.#conversation.answerLater(id, answerTag, exchange, work, () => undefined);
  }

  /** A request that Backlot can read; others are for the upstream to read. */
  #read(envelope: Envelope): Request | undefined {
    try {
      const request = decodeRequest(envelope);
      if (request.type === 'search') parseDn(request.base);
      return request;
    } catch {
      return undefined;
    }
  }

  /** The message that mocks and faults are asked for. */
  #messageOf(tag: number, request: Request | undefined): LdapMessage {
    const { remote } = this.#connection;
    if (request?.type === 'search')
      return LdapMessage.ofSearch(request, parseDn(request.base), remote, this.#identity);
    const path = request === undefined ? '' : pathOf(request);
    const operation = OPERATIONS.get(tag) ?? 'EXTENDED';
    return new LdapMessage(operation, path, remote, this.#identity, { body: keptBody(request) });
  }

  /** The message that the journal keeps. */
  #kept(message: LdapMessage, request: Request | undefined): LdapMessage {
    if (request?.type !== 'search') return message;
    const body = redactFilter(message.body);
    if (body === message.body) return message;
    const { path, remote, query } = message;
    return new LdapMessage('SEARCH', path, remote, this.#identity, { body, query });
  }

  #relay(
    id: number,
    tag: number,
    bytes: Buffer,
    asked: RecordedRequest,
    exchange: LdapExchange,
  ): Promise<void> {
    const line = this.#line;
    const { request } = asked;
    const { desk } = this.#services.relay;
    const key = keyOf(asked);
    return relayMessage<ReadAnswer & Partial<LineAnswer>, LdapExchange>(desk, {
      exchange,
      key,
      isUpstreams: this.#isUpstreams(asked),
      kept: () => this.#kept(exchange.message, request),
      forward: (passes) => line.ask(id, bytes, passes),
      pass: ({ last, result }) => {
        if (last !== undefined) line.give(last);
        if (request?.type === 'bind')
          this.#identity = result.code === RESULT.success ? identityOf(request.name) : '';
      },
      refuse: () => this.#connection.reset(),
      keep: (answer, records) => ({
        reply: {
          status: answer.result.code,
          body: shown(answer.entries.map(formatEntry), answer.result.message),
        },
        ...(records ? this.#recordingsOf(asked, key, answer as LineAnswer) : { recordings: [] }),
      }),
      answer: (outcome, compare) => this.#answer(id, tag, request, exchange, outcome, compare),
      differences: differencesOf,
    });
  }

  /** Whether no mock is asked: for what none can be for, and for binds, since who has bound holds at the upstream. */
  #isUpstreams({ request, controls }: RecordedRequest): boolean {
    if (request === undefined || request.type === 'extended') return true;
    if (request.type === 'bind') return this.#services.relay.desk.mode !== 'diff';
    return controls !== undefined && isFurtherPage(controls);
  }

  #recordingsOf(
    asked: RecordedRequest,
    key: string | undefined,
    answer: LineAnswer,
  ): ReturnType<typeof recordingsOf> {
    const { desk } = this.#services.relay;
    // Binds go to the upstream also where a mock is for them, which is not recorded again.
    if (asked.request?.type === 'bind' && desk.asksMocks(key) && this.#context.mocks.matches(asked.message))
      return { recordings: [] };
    const whole = this.#pages.add(asked.controls ?? [], answer);
    return whole === undefined ? { recordings: [] } : recordingsOf(asked, key, whole);
  }

  #answer(
    id: number,
    tag: number,
    request: Request | undefined,
    exchange: LdapExchange,
    outcome: LdapOutcome,
    compare: ((answer: ReadAnswer) => void) | undefined,
  ): void | Promise<void> {
    if (outcome.type === 'aborted') return;
    if (outcome.type === 'fault') {
      this.#conversation.answer(id, tag, exchange, faultResult(outcome.fault));
      return;
    }
    if (outcome.type !== 'all') return;
    const { search } = exchange.message;
    if (request?.type !== 'search') {
      const result = mockedResultOf(outcome.matches);
      if (request?.type === 'bind')
        this.#identity = result.code === RESULT.success ? identityOf(request.name) : '';
      compare?.({ entries: [], references: [], result, isWhole: true });
      this.#conversation.answer(id, tag, exchange, result);
      return;
    }
    if (search === undefined) return;
    const sources = { directory: this.#nothing, known: this.#services.known };
    const most = request.sizeLimit === 0 ? Number.POSITIVE_INFINITY : request.sizeLimit;
    const limits = { most, isGone: () => exchange.ended };
    const found = runInSlices(findEntries(search, outcome.matches, sources, limits));
    const send = (all: Found): void => {
      if (!exchange.ended) this.#send(id, request, exchange, all, compare);
    };
    return found instanceof Promise ? found.then(send) : send(found);
  }

  #send(
    id: number,
    { attributes, typesOnly, sizeLimit }: SearchRequest,
    exchange: LdapExchange,
    { entries: all, references = [], result: end, failure }: Found,
    compare: ((answer: ReadAnswer) => void) | undefined,
  ): void {
    if (failure !== undefined) this.#context.log.warn(`a search could not be answered: ${failure}`);
    const isCut = sizeLimit > 0 && all.length > sizeLimit;
    const entries = isCut ? all.slice(0, sizeLimit) : all;
    const result = isCut ? { code: RESULT.sizeLimitExceeded } : end;
    const selection = new Selection(attributes, typesOnly, false);
    compare?.({
      entries: entries.map((entry) => ({
        dn: entry.dn.text,
        attributes: readAttributes(Buffer.concat(selection.encode(entry))),
      })),
      references,
      result,
      isWhole: true,
    });
    this.#conversation.answerSearch(exchange, {
      id,
      entries,
      references,
      selection,
      result,
      controls: undefined,
    });
  }
}

/** The controls of a request; `undefined` where they are for the upstream to read. */
function readControls(bytes: Buffer | undefined): readonly Control[] | undefined {
  try {
    return bytes === undefined ? [] : decodeControls(bytes);
  } catch {
    return undefined;
  }
}

/** What a request holds beside its name, without its secrets. */
function keptBody(request: Request | undefined): string {
  switch (request?.type) {
    case 'bind':
      return mechanismOf(request);
    case 'add':
    case 'modify':
    case 'delete':
    case 'modifydn':
    case 'compare':
      return formatKept(request);
    default:
      return '';
  }
}

/** Entries as the journal shows them; where there are none, what was said. */
function shown(entries: readonly string[], message = ''): string {
  if (entries.length === 0) return message;
  let text = '';
  for (const entry of entries) {
    if (text.length > MAX_SHOWN) break;
    text += text === '' ? entry : `\n${entry}`;
  }
  return text;
}
