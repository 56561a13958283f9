import { runInSlices, type Context } from '@backlot/core/plugin';
import { timers, type Connection, describeClient, enterSpace, rollLogin } from '@backlot/kit';
import { LdapConnection, type LdapExchange, type LdapOutcome } from './connection.js';
import { Directory } from './data/directory.js';
import { parseDn } from './data/dn.js';
import type { Entry } from './data/entry.js';
import { evaluate } from './data/filter.js';
import type { Stamps } from './data/make-entry.js';
import { Selection } from './data/selection.js';
import type { KnownNames } from './known-names.js';
import { LdapMessage, type Operation } from './message.js';
import {
  bind,
  identityOfBind,
  mechanismOf,
  refuseBind,
  type Bound,
  type LoginRefusal,
} from './operations/bind.js';
import { refuseControl } from './operations/controls.js';
import { ENTRY_OPERATIONS, OPERATIONS, pathOf } from './operations/describe.js';
import { decodePasswordChange, modifyPassword } from './operations/modify-password.js';
import { Cursors, decodePageRequest, type HeldEntries, type PageRequest } from './operations/paging.js';
import { mockedResultOf, UNRECORDED } from './operations/mocked-result.js';
import { makeRootDse } from './operations/root-dse.js';
import { makeSchemaEntry, SCHEMA_DN } from './operations/schema-entry.js';
import { findEntries, type Found, type SearchLimits } from './operations/search.js';
import { formatRequest, operate, type EntryRequest } from './operations/write.js';
import { attempt } from './result-of.js';
import { RESULT } from './result-codes.js';
import type { LdapShape } from './shape.js';
import { spaceLogin } from './space-login.js';
import type { Users } from './users.js';
import { octets, type Result } from './wire/encode.js';
import {
  decodeControls,
  decodeRequest,
  type BindRequest,
  type Control,
  type Envelope,
  type ExtendedRequest,
  type Request,
  type SearchRequest,
} from './wire/request.js';
import { ANSWER_TO, OID, OP } from './wire/tags.js';

/** What the connections of a server share. */
export interface Services {
  readonly directory: Directory;
  readonly known: KnownNames;
  readonly users: Users;
  /** What all connections hold for further pages. */
  readonly held: HeldEntries;
  readonly stamps: Stamps;
  /** Whether a connection can be upgraded to TLS. */
  readonly offersTls: boolean;
  /** Whether mocks alone answer. */
  readonly isReplay: boolean;
}

/** Response name and value of an extended operation (RFC 4511, section 4.12). */
const RESPONSE_NAME = 0x8a;
const RESPONSE_VALUE = 0x8b;

/** The answer to a change that was delayed while the directory was reset: it must not touch the new one. */
const OVERTAKEN: Result = { code: RESULT.unavailable, message: 'the directory was reset meanwhile' };

/** The tree of a replay, in which mocks alone answer. */
const NOTHING = new Directory(undefined);

/** What one client does, request by request. */
export class Session {
  #context: Context<LdapShape>;
  #services: Services;
  readonly #connection: Connection;
  readonly #conversation: LdapConnection;
  #cursors: Cursors;
  /** Who has bound, see `Bound.identity`. */
  #identity = '';

  constructor(connection: Connection, context: Context<LdapShape>, services: Services) {
    this.#connection = connection;
    this.#context = context;
    this.#services = services;
    this.#cursors = new Cursors(services.held);
    connection.onClose(() => this.#cursors.clear());
    describeClient(connection, () => ({ user: this.#identity.replace(/^dn:/, '') }));
    this.#conversation = new LdapConnection(connection, context, (envelope) => this.#take(envelope));
  }

  /** Its client has named another world, with a bind. */
  moveTo(context: Context<LdapShape>, services: Services): void {
    this.#cursors.clear();
    this.#context = context;
    this.#services = services;
    this.#cursors = new Cursors(services.held);
    this.#conversation.moveTo(context);
  }

  #take(envelope: Envelope): void {
    const { id, tag } = envelope;
    const answerTag = ANSWER_TO.get(tag);
    let path = '';
    try {
      const controls = envelope.controls === undefined ? [] : decodeControls(envelope.controls);
      const request = decodeRequest(envelope);
      path = pathOf(request);
      const refused = answerTag === undefined ? undefined : refuseControl(request, controls);
      if (refused === undefined) this.#handle(id, request, controls);
      else this.#refuse(envelope, path, refused);
    } catch (error) {
      this.#refuse(envelope, path, this.#conversation.explain(error));
    }
  }

  /** Answers what could not be read, or asked too much. */
  #refuse({ id, tag }: Envelope, path: string, result: Result): void {
    const exchange = this.#conversation.record(this.#message(OPERATIONS.get(tag) ?? 'EXTENDED', path));
    const answerTag = ANSWER_TO.get(tag);
    if (answerTag === undefined) exchange.done({ status: result.code, body: result.message ?? '' });
    else this.#conversation.answer(id, answerTag, exchange, result);
  }

  #handle(id: number, request: Request, controls: readonly Control[]): void {
    switch (request.type) {
      case 'search':
        return this.#search(id, request, controls);
      case 'bind':
        return this.#bindInSpace(id, request);
      case 'unbind':
        this.#conversation.record(this.#message('UNBIND', '')).done();
        return this.#conversation.leave();
      case 'abandon':
        this.#conversation.record(this.#message('ABANDON', String(request.id))).done();
        return this.#conversation.abandon(request.id);
      case 'extended':
        return this.#extend(id, request);
      default:
        return this.#operate(id, request, controls);
    }
  }

  /** Binds in the space that the name is of; what comes behind it waits until that is entered. */
  #bindInSpace(id: number, request: BindRequest): void {
    const { spaces } = this.#context;
    const login = spaceLogin(request);
    const { name } = login;
    const door = spaces.ofLogin(name);
    const goOn = (): void => {
      const user = this.#context.spaces.userOf(name);
      this.#bind(id, user === undefined || user === name ? request : login.as(user));
    };
    if (door === undefined) return goOn();
    const connection = this.#connection;
    connection.busy();
    connection.pause();
    void enterSpace(door, connection, this, { stays: true }).then(
      connection.isolate(() => {
        if (!connection.isClosed) goOn();
        connection.resume();
        connection.idle();
      }),
    );
  }

  #bind(id: number, request: BindRequest): void {
    const message = this.#message('BIND', request.name, mechanismOf(request));
    const exchange = this.#conversation.record(message);
    const end = ({ result, identity }: Bound): void => {
      this.#identity = identity;
      this.#conversation.answer(id, OP.bindResponse, exchange, result);
    };
    const finish = (refusal: LoginRefusal | undefined): void => {
      if (refusal !== undefined) end(refuseBind(refusal));
      else if (!this.#asks(message)) end(bind(request, this.#services.users));
      else
        this.#conversation.decide(id, OP.bindResponse, exchange, (_, outcome) => {
          if (outcome.type === 'all') {
            const result = mockedResultOf(outcome.matches);
            end({ result, identity: result.code === RESULT.success ? identityOfBind(request) : '' });
          } else if (this.#services.isReplay) end({ result: UNRECORDED, identity: '' });
          else {
            exchange.answeredFromData();
            end(bind(request, this.#services.users));
          }
        });
    };
    const rolled = rollLogin(this.#context);
    if (rolled instanceof Promise)
      this.#conversation.answerLater(id, OP.bindResponse, exchange, rolled, finish);
    else finish(rolled);
  }

  /** Whether mocks and faults are asked about what is answered without them as a rule. */
  #asks(message: LdapMessage): boolean {
    const { mocks, faults } = this.#context;
    return this.#services.isReplay || mocks.matches(message) || faults.isNamed(message);
  }

  #search(id: number, request: SearchRequest, controls: readonly Control[]): void {
    const base = parseDn(request.base);
    const message = LdapMessage.ofSearch(request, base, this.#connection.remote, this.#identity);
    const paged = controls.find(({ oid }) => oid === OID.pagedResults)?.value;
    const page = paged === undefined ? undefined : decodePageRequest(paged);
    const own = request.scope !== 'base' || this.#isMocked(message) ? undefined : this.#ownEntry(base.key);
    if (own !== undefined) {
      const entries = evaluate(request.filter, own) === true ? [own] : [];
      const found: Found = { entries, result: { code: RESULT.success } };
      this.#sendFound(id, this.#conversation.record(message), request, found, page);
    } else if (page !== undefined && page.cookie !== '') {
      this.#sendPage(id, this.#conversation.record(message), request, page);
    } else {
      const { sizeLimit, timeLimit } = request;
      const most = page === undefined && sizeLimit > 0 ? sizeLimit : Number.POSITIVE_INFINITY;
      this.#conversation.resolve(id, OP.searchDone, message, (exchange, outcome) => {
        if (outcome.type !== 'all' && this.#services.isReplay) {
          this.#conversation.answer(id, OP.searchDone, exchange, UNRECORDED);
          return;
        }
        const finish = (found: Found): void => {
          if (found.failure !== undefined)
            this.#context.log.warn(`a search could not be answered: ${found.failure}`);
          if (!exchange.matched && found.entries.length > 0) exchange.answeredFromData();
          this.#sendFound(id, exchange, request, found, page);
        };
        const end = timers.now() + 1000 * timeLimit;
        const isLate = timeLimit === 0 ? undefined : (): boolean => timers.now() > end;
        const managesReferrals = has(controls, OID.manageDsaIt);
        const limits = { most, isLate, isGone: () => exchange.ended, managesReferrals };
        const found = this.#find(message, outcome, limits);
        if (found instanceof Promise)
          this.#conversation.answerLater(id, OP.searchDone, exchange, found, finish);
        else finish(found);
      });
    }
  }

  /** What is found at once; a promise for a search that takes long. */
  #find({ search }: LdapMessage, outcome: LdapOutcome, limits: SearchLimits): Found | Promise<Found> {
    const matches = outcome.type === 'all' ? outcome.matches : [];
    if (search === undefined) return { entries: [], result: { code: RESULT.success } };
    const { known, isReplay } = this.#services;
    const directory = isReplay ? NOTHING : this.#services.directory;
    return runInSlices(findEntries(search, matches, { directory, known }, limits));
  }

  /** Whether mocks answer for the entries that say what the server is: those for just this entry do, and in a replay nothing else does. */
  #isMocked(message: LdapMessage): boolean {
    const { mocks } = this.#context;
    if (this.#services.isReplay) return true;
    return mocks.index.isMeant(message.nameKey) && mocks.matches(message);
  }

  /** The entries that say what the server is: the root DSE and the schema. */
  #ownEntry(key: string): Entry | undefined {
    if (key === '') return this.#makeRootDse();
    return key === SCHEMA_DN.key && !this.#services.directory.knows(key) ? makeSchemaEntry() : undefined;
  }

  #makeRootDse(): Entry {
    const { directory, known, offersTls } = this.#services;
    const { base_dn: suffix } = this.#context.config;
    const contexts = suffix === undefined ? directory.roots() : [suffix];
    return makeRootDse(
      [...new Set([...contexts, ...known.roots()])],
      offersTls && !this.#connection.encrypted,
    );
  }

  #sendFound(
    id: number,
    exchange: LdapExchange,
    { sizeLimit, typesOnly, attributes }: SearchRequest,
    { entries, references = [], result }: Found,
    page: PageRequest | undefined,
  ): void {
    const isCut = sizeLimit > 0 && entries.length > sizeLimit;
    const limited = isCut
      ? { entries: entries.slice(0, sizeLimit), result: { code: RESULT.sizeLimitExceeded } }
      : { entries, result };
    const part =
      page === undefined ? { ...limited, controls: undefined } : this.#cursors.begin(limited, page.size);
    const selection = new Selection(attributes, typesOnly, this.#identity === '');
    this.#conversation.answerSearch(exchange, { id, selection, references, ...part });
  }

  /** A page after the first goes on with what was found then, so no mock is asked and no fault fires. */
  #sendPage(id: number, exchange: LdapExchange, request: SearchRequest, page: PageRequest): void {
    const part = this.#cursors.next(page);
    if (part === undefined) {
      const message = 'the cookie of the paged results is not known here; begin the search again';
      const result = { code: RESULT.unwillingToPerform, message };
      return this.#conversation.answer(id, OP.searchDone, exchange, result);
    }
    const selection = new Selection(request.attributes, request.typesOnly, this.#identity === '');
    this.#conversation.answerSearch(exchange, { id, selection, references: [], ...part });
  }

  #operate(id: number, request: EntryRequest, controls: readonly Control[]): void {
    const { operation, tag } = ENTRY_OPERATIONS[request.type];
    const asked = {
      withTree: has(controls, OID.treeDelete),
      managesReferrals: has(controls, OID.manageDsaIt),
    };
    const { directory, stamps } = this.#services;
    const message = this.#message(operation, pathOf(request), formatRequest(request));
    this.#conversation.resolve(id, tag, message, (exchange, outcome) => {
      const answer = (result: Result): void => this.#conversation.answer(id, tag, exchange, result);
      if (outcome.type === 'all') return answer(mockedResultOf(outcome.matches));
      if (this.#services.isReplay) return answer(UNRECORDED);
      // What the tree takes never lacks a mock.
      exchange.answeredFromData();
      answer(exchange.isCurrent ? operate(request, directory, stamps, asked) : OVERTAKEN);
    });
  }

  #extend(id: number, { oid, value: given }: ExtendedRequest): void {
    const conversation = this.#conversation;
    if (oid === OID.passwordModify) return this.#modifyPassword(id, given);
    const exchange = conversation.record(this.#message('EXTENDED', oid));
    if (oid === OID.whoAmI) {
      const value = octets(this.#identity, RESPONSE_VALUE);
      return conversation.answer(id, OP.extendedResponse, exchange, { code: RESULT.success }, value);
    }
    if (oid === OID.startTls && this.#services.offersTls) return this.#startTls(id, exchange);
    const message = `the extended operation ${oid} is not supported`;
    conversation.answer(id, OP.extendedResponse, exchange, { code: RESULT.protocolError, message });
  }

  #modifyPassword(id: number, given: Buffer | undefined): void {
    const { directory, stamps, isReplay } = this.#services;
    const change = decodePasswordChange(given);
    const target = change.identity ?? this.#identity;
    const message = this.#message('EXTENDED', OID.passwordModify, target);
    if (isReplay)
      return this.#conversation.resolve(id, OP.extendedResponse, message, (asked) =>
        this.#conversation.answer(id, OP.extendedResponse, asked, UNRECORDED),
      );
    const exchange = this.#conversation.record(message);
    const { result, value } = attempt(() => modifyPassword(change, this.#identity, directory, stamps));
    const more = value === undefined ? [] : [octets(value, RESPONSE_VALUE)];
    this.#conversation.answer(id, OP.extendedResponse, exchange, result, ...more);
  }

  #startTls(id: number, exchange: LdapExchange): void {
    startTls(this.#conversation, this.#connection, id, exchange);
  }

  #message(operation: Operation, path: string, body = ''): LdapMessage {
    return new LdapMessage(operation, path, this.#connection.remote, this.#identity, { body });
  }
}

/** Begins TLS on a connection, as far as it can begin (RFC 4511, section 4.14.1). */
export function startTls(
  conversation: LdapConnection,
  connection: Connection,
  id: number,
  exchange: LdapExchange,
): void {
  const name = octets(OID.startTls, RESPONSE_NAME);
  if (connection.encrypted || conversation.waiting > 0) {
    const message = connection.encrypted
      ? 'the connection is encrypted already'
      : 'requests are not answered yet';
    const result = { code: RESULT.operationsError, message };
    return conversation.answer(id, OP.extendedResponse, exchange, result, name);
  }
  conversation.answer(id, OP.extendedResponse, exchange, { code: RESULT.success }, name);
  // A handshake that fails has ended the connection, and is the client's own affair.
  connection.startTls().catch(() => undefined);
}

function has(controls: readonly Control[], wanted: string): boolean {
  return controls.some(({ oid }) => oid === wanted);
}
