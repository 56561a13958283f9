import type {
  ConnectionFilter,
  ConnectionView,
  Farewell,
  JournalEntry,
  JournalFilter,
  MockCollection,
  NewFault,
  NewMock,
  ProtocolTypes,
  StoredMockOf,
} from '@backlot/core';
import { BacklotError } from './errors.js';
import { includes, isAsymmetric } from './includes.js';
import { readEntries } from './journal.js';
import { later, type Later, type Promised } from './promised.js';
import { markRemote } from './remote-subject.js';
import { part, type Transport } from './transport.js';
import { waitForCalls, waitForCaptured } from './wait.js';
import type { Wanted } from './wanted.js';

/** A mock that a test has made on a server. */
export interface RemoteMock<Mock = unknown> {
  readonly id: string;
  /** How often it was called since the last reset. */
  readonly count: Later<number>;
  /** The journal entries of its calls, oldest first, as far as the journal still holds them. */
  calls(): Promise<readonly JournalEntry[]>;
  /**
   * Waits until it was called `count` times since the last reset.
   *
   * @param count - 1 when absent
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`, with the unmatched messages and why they did not match; `cancelled` by a reset
   */
  waitForCalls(count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** Replaces it by another mock, under the same id. @throws BacklotError `invalid` */
  replace(mock: NewMock<Mock>): Promise<StoredMockOf<Mock>>;
  /** Removes the mock. @throws BacklotError `not_found` when it was removed already, also by a reset */
  remove(): Promise<void>;
}

/** The members that every protocol of a server has. */
export interface RemoteMembers<Types extends ProtocolTypes> {
  /** The url by which clients connect. @throws BacklotError `not_enabled` when it does not listen */
  readonly url: string;
  /** The port on which it listens. @throws BacklotError `not_enabled` when it does not listen */
  readonly port: number;
  readonly mocks: Promised<
    Pick<
      MockCollection<Types['mock']>,
      'list' | 'get' | 'has' | 'create' | 'createAll' | 'replace' | 'patch' | 'remove'
    >
  >;
  /** Creates a mock. @throws BacklotError `invalid` with a problem per field, `conflict` when the id exists */
  mock(mock: NewMock<Types['mock']>): Promise<RemoteMock<Types['mock']>>;
  /** The calls of a mock, oldest first. @throws BacklotError `not_found` */
  calls(mockId: string): Promise<readonly JournalEntry[]>;
  /** Waits for calls of a mock, see {@link RemoteMock.waitForCalls}. */
  waitForCalls(mockId: string, count?: number, timeout?: number): Promise<readonly JournalEntry[]>;
  /** The open connections of this protocol, the oldest first. */
  connections(): Promise<readonly ConnectionView[]>;
  /**
   * Closes open connections: those that fit, or all.
   *
   * @param how - `end` when absent; `reset` is a TCP RST, and `goodbye` the last words of the protocol
   * @returns how many
   */
  closeConnections(filter?: ConnectionFilter, how?: Farewell): Promise<number>;
  /** The journal entries of this protocol, oldest first. */
  journal(filter?: Omit<JournalFilter, 'protocol'>): Promise<readonly JournalEntry[]>;
}

/** The members of a protocol that captures messages. */
export interface RemoteCapturing<Capture> {
  /** The captured messages, oldest first: all, or those that have the wanted values. */
  captured(wanted?: Wanted<Capture>): Promise<readonly Capture[]>;
  /**
   * Waits for a captured message that has the wanted values, and gives the first; one that is there already counts.
   *
   * @param timeout - milliseconds of real time; 2,000 when absent
   * @throws BacklotError `timeout`; `cancelled` when everything is cleared first
   */
  waitForCaptured(wanted?: Wanted<Capture>, timeout?: number): Promise<Capture>;
  /** Drops the captured messages. */
  clearCaptured(): Promise<void>;
}

/** The members of a protocol that can be faulted. */
export interface RemoteFaultable<Fault> {
  /** Sets the fault of the protocol, in place of an earlier one. @throws BacklotError `invalid` */
  fault(fault: NewFault<Fault>): Promise<NewFault<Fault>>;
  /** Clears the fault. */
  clearFault(): Promise<void>;
}

/** The members of a protocol that has streaming answers. */
export interface RemoteStreaming<Data> {
  /** Sends data into the open streams of a mock. @returns how many streams it was delivered to */
  push(mockId: string, data: Data): Promise<number>;
}

type WhenDeclared<Declared, Members> = [Declared] extends [never] ? unknown : Members;

/** One protocol of a server. */
export type RemoteProtocol<Types extends ProtocolTypes = ProtocolTypes> = RemoteMembers<Types> &
  WhenDeclared<Types['capture'], RemoteCapturing<Types['capture']>> &
  WhenDeclared<Types['fault'], RemoteFaultable<Types['fault']>> &
  WhenDeclared<Types['stream'], RemoteStreaming<Types['stream']>>;

/** A protocol with every capability; which of them it has, its types say, and the server. */
type AnyProtocol = RemoteMembers<ProtocolTypes> &
  RemoteCapturing<unknown> &
  RemoteFaultable<unknown> &
  RemoteStreaming<unknown>;

/** Where a protocol listens, when it does. */
export interface Place {
  readonly url?: string;
  readonly port?: number;
}

/** Makes one protocol of a server. */
export function makeProtocol(transport: Transport, kind: string, place: Place): AnyProtocol {
  const mocksAt = `/mocks/${part(kind)}`;
  let path: string | undefined;
  const messages = async (): Promise<string> => (path ??= await messagesAt(transport, kind));
  const remove = async (id: string): Promise<void> =>
    void (await transport.call('DELETE', `${mocksAt}/${part(id)}`));
  const made: AnyProtocol = {
    get url() {
      return place.url ?? notListening(kind);
    },
    get port() {
      return place.port ?? notListening(kind);
    },
    mocks: {
      list: () => transport.call('GET', mocksAt),
      get: (id) => transport.call('GET', `${mocksAt}/${part(id)}`),
      async has(id) {
        const all = await transport.call<readonly { readonly id: string }[]>('GET', mocksAt);
        return all.some((mock) => mock.id === id);
      },
      create: (mock) => transport.call('POST', mocksAt, mock),
      createAll: (mocks) => transport.call('POST', mocksAt, mocks),
      replace: (id, mock) => transport.call('PUT', `${mocksAt}/${part(id)}`, mock),
      patch: (id, patch) => transport.call('PATCH', `${mocksAt}/${part(id)}`, patch),
      remove,
    },
    async mock(mock) {
      const { id } = await transport.call<{ readonly id: string }>('POST', mocksAt, mock);
      return makeMock(made, transport, kind, id);
    },
    calls: async (mockId) => (await callsOf(transport, kind, mockId)).calls,
    waitForCalls: (mockId, count, timeout) => waitForCalls(transport, kind, mockId, count, timeout),
    connections: () => transport.call('GET', `/connections/${part(kind)}`),
    async closeConnections(filter = {}, how) {
      const given = { ...filter, ...(how === undefined ? {} : { how }) };
      const answer = await transport.call<{ readonly closed: number }>(
        'POST',
        `/connections/${part(kind)}/close`,
        given,
      );
      return answer.closed;
    },
    journal: (filter) => readEntries(transport, { ...filter, protocol: kind }),
    async captured(wanted) {
      const all = await transport.call<readonly unknown[]>('GET', await messages());
      return wanted === undefined ? all : all.filter((value) => includes(value, wanted, plainlyEqual));
    },
    waitForCaptured: async (wanted, timeout) =>
      waitForCaptured(transport, kind, await messages(), timeout, (value) =>
        wanted === undefined ? true : includes(value, wanted, plainlyEqual),
      ),
    clearCaptured: async () => void (await transport.call('DELETE', await messages())),
    fault: (fault) => transport.call('POST', `/fault/${part(kind)}`, fault),
    clearFault: async () => void (await transport.call('DELETE', `/fault/${part(kind)}`)),
    async push(mockId, data) {
      const target = { protocol: kind, mock_id: mockId, data };
      return (await transport.call<{ readonly delivered: number }>('POST', '/streams/push', target))
        .delivered;
    },
  };
  markRemote(made, { type: 'protocol', name: kind, transport, kind });
  return made;
}

function makeMock(protocol: AnyProtocol, transport: Transport, kind: string, id: string): RemoteMock {
  const made: RemoteMock = {
    id,
    get count() {
      return later(`the count of "${id}"`, async () => (await callsOf(transport, kind, id)).count);
    },
    calls: () => protocol.calls(id),
    waitForCalls: (count, timeout) => protocol.waitForCalls(id, count, timeout),
    replace: (mock) => protocol.mocks.replace(id, mock),
    remove: () => protocol.mocks.remove(id),
  };
  markRemote(made, { type: 'mock', name: `mock "${id}" of ${kind}`, transport, kind, mockId: id });
  return made;
}

/** How often a mock was called. @throws BacklotError `not_found` */
export function callsOf(
  transport: Transport,
  kind: string,
  mockId: string,
): Promise<{ readonly count: number; readonly calls: readonly JournalEntry[] }> {
  return transport.call('GET', `/calls/${part(kind)}/${part(mockId)}`);
}

/** Where the captured messages of a kind are, below `/api`. @throws BacklotError `invalid` when it keeps none */
async function messagesAt(transport: Transport, kind: string): Promise<string> {
  const { captures } = await transport.call<{ readonly captures?: { readonly path: string } }>(
    'GET',
    `/schema/${part(kind)}`,
  );
  if (captures === undefined) throw new BacklotError('invalid', `${kind} keeps no messages`);
  return captures.path.replace(/^\/api/, '');
}

/** As `===` is, but that a matcher is asked. */
function plainlyEqual(actual: unknown, wanted: unknown): boolean {
  return isAsymmetric(wanted) ? wanted.asymmetricMatch(actual) : Object.is(actual, wanted);
}

function notListening(kind: string): never {
  throw new BacklotError('not_enabled', `${kind} does not listen there`);
}
