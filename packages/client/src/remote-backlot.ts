import type {
  Check,
  ClockView,
  Collection,
  Json,
  JournalCollection,
  JournalEntry,
  Protocol,
  ScenarioCollection,
  StateCollection,
  StreamCollection,
  TypesOf,
  Verdict,
  WebhookAttempt,
  WebhookSend,
} from '@backlot/core';
import { BacklotError } from './errors.js';
import { countEntries, readEntries } from './journal.js';
import type { Promised } from './promised.js';
import { makeProtocol, type Place, type RemoteProtocol } from './remote-protocol.js';
import { markRemote } from './remote-subject.js';
import { part, type QueryValues, type Transport } from './transport.js';

/** A snapshot on a server. */
export interface RemoteSnapshot {
  /** Puts everything back to what it was; the journal and the time stay as they are. */
  restore(): Promise<void>;
  /** Deletes the snapshot; a server holds at most 100. */
  remove(): Promise<void>;
}

/** The clock of a server. */
export interface RemoteClock {
  view(): Promise<ClockView>;
  /** The virtual time, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Moves time forward; resolves when it has arrived, and what became due was done. */
  advance(milliseconds: number): Promise<void>;
  /** Stops the time or lets it go on. */
  freeze(frozen: boolean): Promise<void>;
  setNow(epochMilliseconds: number): Promise<void>;
}

/** The attempts of a server to send webhooks. */
export interface RemoteWebhooks {
  history(): Promise<readonly WebhookAttempt[]>;
  send(request: WebhookSend): Promise<WebhookAttempt>;
  clear(): Promise<void>;
}

/** The rows of a collection on a server. */
export type RemoteCollection<Row = Json> = Promised<
  Pick<Collection<Row>, 'list' | 'get' | 'has' | 'create' | 'replace' | 'update' | 'remove' | 'setAll'>
>;

/** The members that every server has beside its protocols. */
export interface RemoteBacklotMembers {
  readonly clock: RemoteClock;
  readonly state: Promised<Pick<StateCollection, 'all' | 'pick' | 'setAll' | 'delete' | 'deletePrefix'>>;
  /** The rows of a collection. `Row` is what the test knows of them; nothing checks it. */
  collection<Row = Json>(name: string): RemoteCollection<Row>;
  readonly scenarios: Promised<
    Pick<
      ScenarioCollection,
      'list' | 'get' | 'create' | 'replace' | 'remove' | 'activate' | 'deactivate' | 'active'
    >
  >;
  readonly streams: Promised<Pick<StreamCollection, 'list' | 'push' | 'close'>>;
  /** The journal of all protocols. */
  readonly journal: Promised<Pick<JournalCollection, 'list' | 'clear'>> & {
    /** The entry with this id; `undefined` when there is none, or it was dropped. */
    find(id: string): Promise<JournalEntry | undefined>;
    count(filter?: {
      readonly protocol?: string;
      readonly matchedId?: string;
    }): Promise<{ readonly count: number }>;
  };
  readonly webhooks: RemoteWebhooks;
  /** Whether messages were received over all protocols, or are within a time. */
  verify(check: Check): Promise<Verdict>;
  /** Puts everything back to what it was after the start. */
  reset(): Promise<void>;
  /** Takes a snapshot. @param name - a name by which it is found as well */
  snapshot(name?: string): Promise<RemoteSnapshot>;
  /**
   * Asks the management API for whatever else it has.
   *
   * @param path - below `/api`, such as `/toxics/http`
   * @returns the JSON of the answer
   * @throws BacklotError with the server's own words
   */
  call<Answer = unknown>(method: string, path: string, body?: unknown, query?: QueryValues): Promise<Answer>;
}

/** A protocol by its declaration, which also gives types, or by the name of its kind. */
export type ProtocolName = string | Protocol;

type KindOf<One extends ProtocolName> = One extends Protocol ? One['kind'] : One & string;

/** The protocols of a server by the names of their kinds. */
export type RemoteProtocols<P extends readonly ProtocolName[]> =
  string extends KindOf<P[number]>
    ? unknown
    : {
        readonly [One in P[number] as KindOf<One>]: One extends Protocol
          ? RemoteProtocol<TypesOf<One>>
          : RemoteProtocol;
      };

/** What a server says of a protocol. */
export type PlacesByKind = Readonly<Record<string, Place>>;

/** The kind that a protocol is of. */
export const kindOf = (protocol: ProtocolName): string =>
  typeof protocol === 'string' ? protocol : protocol.kind;

/**
 * Makes what stands for a server.
 *
 * @param places - all its protocols, and where those listen that do
 * @param wanted - those whose absence is an error
 * @throws BacklotError `not_found` when a wanted one is not installed there
 */
export function makeRemote(
  transport: Transport,
  places: PlacesByKind,
  wanted: readonly ProtocolName[],
): RemoteBacklotMembers {
  for (const protocol of wanted) {
    const kind = kindOf(protocol);
    if (Object.hasOwn(places, kind)) continue;
    const there = Object.keys(places).join(', ');
    throw new BacklotError('not_found', `the Backlot at ${transport.url} has no ${kind}; it has ${there}`);
  }
  const members = makeMembers(transport);
  for (const [kind, place] of Object.entries(places)) {
    // A kind of a third party may be called as a member is.
    if (!Object.hasOwn(members, kind))
      Object.defineProperty(members, kind, { value: makeProtocol(transport, kind, place), enumerable: true });
  }
  markRemote(members, { type: 'backlot', name: 'the Backlot', transport });
  return members;
}

function makeMembers(transport: Transport): RemoteBacklotMembers {
  const ask = async (method: string, path: string, body?: unknown): Promise<void> =>
    void (await transport.call(method, path, body));
  return {
    clock: {
      view: () => transport.call('GET', '/clock'),
      now: async () => Date.parse((await transport.call<ClockView>('GET', '/clock')).now),
      advance: (milliseconds) => ask('POST', '/clock', { advance: `${milliseconds}ms` }),
      freeze: (frozen) => ask('POST', '/clock', { freeze: frozen }),
      setNow: (time) => ask('POST', '/clock', { now: new Date(time).toISOString() }),
    },
    state: {
      all: () => transport.call('GET', '/state'),
      async pick(keys) {
        const all = await transport.call<Readonly<Record<string, string>>>('GET', '/state');
        return Object.fromEntries(
          [...keys].flatMap((key) => (Object.hasOwn(all, key) ? [[key, all[key] ?? '']] : [])),
        );
      },
      setAll: async (values, ttl) =>
        void (await transport.call('POST', '/state', values, ttl === undefined ? {} : { ttl: `${ttl}ms` })),
      delete: (key) => ask('DELETE', `/state/${part(key)}`),
      async deletePrefix(prefix) {
        const { deleted } = await transport.call<{ readonly deleted: number }>(
          'DELETE',
          '/state',
          undefined,
          { prefix },
        );
        return deleted;
      },
    },
    collection: <Row>(name: string) => makeCollection<Row>(transport, name),
    scenarios: {
      list: () => transport.call('GET', '/scenarios'),
      get: (id) => transport.call('GET', `/scenarios/${part(id)}`),
      create: (scenario) => transport.call('POST', '/scenarios', scenario),
      replace: (id, scenario) => transport.call('PUT', `/scenarios/${part(id)}`, scenario),
      remove: (id) => ask('DELETE', `/scenarios/${part(id)}`),
      activate: async (id) => (await changeScenario(transport, 'POST', id)).active,
      deactivate: async (id) => (await changeScenario(transport, 'DELETE', id)).active,
      active: () => transport.call('GET', '/scenarios/active'),
    },
    streams: {
      list: () => transport.call('GET', '/streams'),
      async push(target, data) {
        const body = { ...target, data };
        return (await transport.call<{ readonly delivered: number }>('POST', '/streams/push', body))
          .delivered;
      },
      async close(target, error) {
        const body = { ...target, ...(error === undefined ? {} : { error }) };
        return (await transport.call<{ readonly closed: number }>('POST', '/streams/close', body)).closed;
      },
    },
    journal: {
      list: (filter) => readEntries(transport, filter),
      async find(id) {
        try {
          return await transport.call<JournalEntry>('GET', `/logs/${part(id)}`);
        } catch (thrown) {
          if (thrown instanceof BacklotError && thrown.code === 'not_found') return undefined;
          throw thrown;
        }
      },
      count: (filter) => countEntries(transport, filter),
      clear: () => ask('DELETE', '/logs'),
    },
    webhooks: {
      history: () => transport.call('GET', '/webhooks'),
      send: (request) => transport.call('POST', '/webhooks/send', request),
      clear: () => ask('DELETE', '/webhooks'),
    },
    verify: (check) => transport.call('POST', '/verify', check),
    reset: () => ask('POST', '/reset'),
    async snapshot(name) {
      const { id } = await transport.call<{ readonly id: string }>(
        'POST',
        '/snapshots',
        name === undefined ? {} : { name },
      );
      return {
        restore: () => ask('POST', `/snapshots/${part(id)}/restore`),
        remove: () => ask('DELETE', `/snapshots/${part(id)}`),
      };
    },
    call: (method, path, body, query) => transport.call(method, path, body, query),
  };
}

function changeScenario(
  transport: Transport,
  method: 'POST' | 'DELETE',
  id: string,
): Promise<{ readonly active: readonly string[] }> {
  return transport.call(method, `/scenarios/${part(id)}/activate`);
}

function makeCollection<Row>(transport: Transport, name: string): RemoteCollection<Row> {
  const at = `/collections/${part(name)}`;
  const rowAt = (key: string): string => `${at}/${part(key)}`;
  return {
    list: () => transport.call('GET', at),
    get: (key) => transport.call('GET', rowAt(key)),
    async has(key) {
      try {
        await transport.call('GET', rowAt(key));
        return true;
      } catch (thrown) {
        if (thrown instanceof BacklotError && thrown.code === 'not_found') return false;
        throw thrown;
      }
    },
    create: (row) => transport.call('POST', at, row),
    replace: (key, row) => transport.call('PUT', rowAt(key), row),
    update: (key, fields) => transport.call('PATCH', rowAt(key), fields),
    remove: async (key) => void (await transport.call('DELETE', rowAt(key))),
    setAll: async (rows) => void (await transport.call('PUT', at, rows)),
  };
}
