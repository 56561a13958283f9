import type { CoreConfig } from '../contract/schema.js';
import type { Log } from '../contract/context.js';
import type { Json } from '../contract/given.js';
import type { Kind, KindFault } from '../contract/kind.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Message } from '../contract/message.js';
import type { Protocol, Service } from '../contract/protocol.js';
import { invalid, isBacklotError, messageOf, type Problem } from '../errors.js';
import type { EffectiveFault, FaultStore } from '../faults/fault-store.js';
import type { LogCounter } from '../journal/journal.js';
import { MockStore } from '../mocks/mock-store.js';
import { MockTable } from '../mocks/mock-table.js';
import type { Counters } from '../mocks/counters.js';
import { Calls } from '../pipeline/call-book.js';
import { Exchange } from '../pipeline/exchange.js';
import type { CompiledFault, HostServices, KindRuntime } from '../pipeline/runtime.js';
import { hashText } from '../random/random.js';
import { createCaptures, type CaptureStore } from '../stores/capture-store.js';
import { ItemStore } from '../stores/item-store.js';
import type { StateStore } from '../stores/state-store.js';
import { isObject } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import { createValidator } from '../validation/validator.js';
import { configSchemaOf } from './schemas.js';
import { SnapshotParts, type SavedParts } from './snapshot-parts.js';
import { urlOf } from './url-of.js';
import { urlVariableOf, variablesOf } from './variables.js';

/** Everything a kind has to be put back to. */
export interface SavedKind {
  readonly mocks: ReturnType<MockStore['save']>;
  readonly items: readonly (readonly [string, ReturnType<ItemStore['save']>])[];
  readonly captures: ReturnType<CaptureStore['save']> | undefined;
  readonly kept: SavedParts;
  readonly exchanges: number;
}

/** What the kinds of a host share beyond what an exchange needs. */
export interface SharedServices extends HostServices {
  readonly state: StateStore;
  readonly faults: FaultStore;
  readonly defaultHost: string;
  /** Whether a kind whose settings name no port listens on its default port, else on a free one. */
  readonly takesDefaultPorts: boolean;
  /** Whether mocks that are found valid are kept for another host that is made of the same settings. */
  readonly remembers: boolean;
  log(kind: string): Log;
}

/** One protocol in a host: its stores, its configuration, its running service. */
export class KindHost implements Kind, KindRuntime {
  readonly kind: string;
  readonly enabled: boolean;
  readonly fault: KindFault | undefined;
  readonly services: SharedServices;
  readonly table: MockTable;
  readonly mocks: MockStore;
  readonly collections = new Map<string, ItemStore>();
  readonly captures: CaptureStore | undefined;
  readonly calls: Calls;
  readonly counts: Counters;
  readonly kindCounter: LogCounter;
  readonly log: Log;
  readonly faultHash: number;
  readonly snapshotParts = new SnapshotParts();
  /** Problems of the kind's settings, found while it was made. */
  readonly problems: readonly Problem[];
  newestUnderWay: Exchange | undefined = undefined;
  service: Service | undefined = undefined;
  address: { readonly host: string; readonly port: number } | undefined = undefined;
  /** Why it could not start. */
  failure: string | undefined = undefined;
  /** Since the start: exceptions that were caught, and how often it has held the event loop for too long. */
  caught = 0;
  stalls = 0;
  readonly config: CoreConfig & Json;
  #protocol: Protocol;
  #fault: EffectiveFault;
  #exchanges = 0;

  constructor(protocol: Protocol, settings: unknown, services: SharedServices) {
    this.kind = protocol.kind;
    this.#protocol = protocol;
    this.services = services;
    this.enabled = protocol.load === undefined && !(isObject(settings) && settings['enabled'] === false);
    this.table = new MockTable(protocol, services.state, services.clock);
    this.mocks = new MockStore(protocol, this.table, services);
    this.counts = this.mocks.counts;
    this.kindCounter = services.journal.kindCounter(protocol.kind);
    const log = services.log(protocol.kind);
    this.log = {
      ...log,
      error: (text, thrown) => {
        this.caught += 1;
        log.error(text, thrown);
      },
    };
    this.faultHash = hashText(protocol.kind);
    this.calls = new Calls(this, this.mocks, services.journal);
    for (const [name, declaration] of Object.entries(protocol.collections ?? {})) {
      this.collections.set(name, new ItemStore(declaration));
    }
    this.#fault = services.faults.declare(protocol);
    this.fault = protocol.fault === undefined ? undefined : faultOf(protocol.kind, services.faults);
    const problems: Problem[] = [];
    this.config = this.#readSettings(settings, problems);
    this.captures = protocol.capture && createCaptures(protocol.capture, this.config);
    this.problems = problems;
  }

  get protocol(): Protocol {
    return this.#protocol;
  }

  get rolledFault(): CompiledFault | undefined {
    return this.#fault.compiled;
  }

  get url(): string | undefined {
    return this.address && urlOf(this.protocol.meta, this.address, this.#isEncrypted());
  }

  get urlVariable(): string {
    return urlVariableOf(this.kind, this.protocol.meta);
  }

  get variables(): Readonly<Record<string, string>> {
    const { address, url } = this;
    return address === undefined || url === undefined
      ? {}
      : variablesOf(this.kind, this.protocol.meta, address, url);
  }

  async load(): Promise<void> {
    const manifest = this.#protocol;
    if (manifest.load === undefined) return;
    const whole = await manifest.load();
    // Somebody else who asked at the same time was quicker, and may have set a fault since.
    if (this.#protocol !== manifest) return;
    this.#protocol = whole;
    this.#fault = this.services.faults.declare(this.#protocol);
  }

  receive(message: Message): Exchange {
    return new Exchange(this, message);
  }

  nextExchange(): number {
    this.#exchanges += 1;
    return this.#exchanges;
  }

  usedUp(): void {
    this.mocks.conditionsChanged();
  }

  status(): Json {
    const status = this.service?.status?.() ?? {};
    const failure = this.failure ?? status.error;
    const state = failure !== undefined ? 'failed' : this.address === undefined ? 'stopped' : 'running';
    const { transport, title } = this.protocol.meta;
    return {
      ...{ protocol: this.kind, title },
      enabled: this.enabled,
      state,
      host: this.address?.host ?? this.config.host,
      port: this.address?.port ?? this.config.port,
      transport,
      tls: this.#isEncrypted(status),
      mocks: this.mocks.size,
      connections: status.connections ?? 0,
      ...(this.captures === undefined ? {} : { messages: this.captures.size }),
      ...status.extra,
      ...(this.caught === 0 ? {} : { exceptions: this.caught }),
      ...(this.stalls === 0 ? {} : { stalls: this.stalls }),
      ...(failure === undefined ? {} : { error: failure }),
    };
  }

  explain(entry: unknown): ReturnType<Kind['explain']> {
    if (!isObject(entry))
      throw invalid(`the message must be an object as the journal shows it, got ${show(entry)}`);
    const message = this.#messageOf(entry);
    const { mode } = this.protocol.mocks;
    if (mode === 'items') {
      const names = this.mocks.list().map((mock) => mock.id);
      return { outcome: 'items', mock_ids: names, others: [] };
    }
    if (mode === 'all') {
      const ids = this.table.selectAll(message).map((mock) => mock.id);
      const others = this.#whyOthers(message, ids);
      return ids.length === 0
        ? { outcome: 'unmatched', others }
        : { outcome: 'matched', mock_ids: ids, others };
    }
    const found = this.table.select(message, true);
    if (found === undefined || typeof found === 'symbol')
      return { outcome: 'unmatched', others: this.#whyOthers(message, []) };
    if ('challenged' in found) {
      return { outcome: 'challenge', mock_id: found.challenged.id, others: this.#whyOthers(message, []) };
    }
    return { outcome: 'matched', mock_id: found.id, others: this.#whyOthers(message, [found.id]) };
  }

  save(): SavedKind {
    return {
      mocks: this.mocks.save(),
      items: Array.from(this.collections, ([name, store]) => [name, store.save()] as const),
      captures: this.captures?.save(),
      kept: this.snapshotParts.save(),
      exchanges: this.#exchanges,
    };
  }

  /** Puts a snapshot back; with `createdAt` as if its mocks were made at that time. */
  restore(saved: SavedKind, createdAt?: number): void {
    this.mocks.restore(saved.mocks, createdAt);
    for (const [name, items] of saved.items) this.collections.get(name)?.restore(items);
    if (saved.captures !== undefined) this.captures?.restore(saved.captures);
    this.snapshotParts.restore(saved.kept);
    this.#exchanges = saved.exchanges;
    this.caught = this.stalls = 0;
  }

  #isEncrypted(status = this.service?.status?.()): boolean {
    const { tls = false } = this.protocol.meta;
    return tls !== false && (status?.tls ?? false);
  }

  #whyOthers(message: Message, matched: readonly string[]): NearMiss[] {
    return this.table.nearMisses(message, 256).filter((miss) => !matched.includes(miss.mock_id));
  }

  #messageOf(entry: Json): Message {
    if (this.protocol.mocks.explain !== undefined) return this.protocol.mocks.explain(entry);
    const { method, path, headers, query, body } = entry;
    return {
      method: typeof method === 'string' ? method : '',
      path: typeof path === 'string' ? path : '',
      remote: '',
      ...(isObject(headers) ? { headers: headers as Record<string, string> } : {}),
      ...(isObject(query) ? { query: query as Record<string, string> } : {}),
      ...(typeof body === 'string'
        ? { body: entry['body_encoding'] === 'base64' ? Buffer.from(body, 'base64') : body }
        : {}),
    };
  }

  #readSettings(settings: unknown, problems: Problem[]): CoreConfig & Json {
    const base = `/settings/${this.kind}`;
    const { meta, mocks } = this.protocol;
    const isUnused =
      !this.enabled && isObject(settings) && Object.keys(settings).every((key) => key === 'enabled');
    if (this.protocol.load !== undefined && !isUnused) {
      problems.push({ path: base, message: `${this.kind} is given as a manifest, which takes no settings` });
    }
    if (!isObject(settings)) {
      problems.push({ path: base, message: `must be an object, got ${show(settings)}` });
    }
    const block: Record<string, unknown> = isObject(settings) ? { ...settings } : {};
    const mockList = takeList(block, mocks.configKey, base, problems);
    const itemLists = Array.from(this.collections.values(), (store) => ({
      store,
      items: takeList(block, store.declaration.configKey, base, problems),
    }));
    const own = structuredClone(block);
    const furtherLists = (mocks.furtherLists ?? []).flatMap((pointer) => takeLists(own, pointer, base));
    // Compiling a schema takes a millisecond and a megabyte; a kind that nobody asked for has nothing to check.
    const found = isUnused ? [] : createValidator(configSchemaOf(this.protocol)).fill(own, base);
    problems.push(...found);
    if (!isUnused && found.length === 0 && this.protocol.checkConfig !== undefined) {
      try {
        this.protocol.checkConfig(own, this.table.index);
      } catch (thrown) {
        const details = isBacklotError(thrown) ? thrown.details : undefined;
        for (const problem of details ?? [{ path: '', message: messageOf(thrown) }]) {
          problems.push({ ...problem, path: base + problem.path });
        }
      }
    }
    for (const { store, items } of itemLists)
      problems.push(...store.load(items, `${base}/${store.declaration.configKey}`));
    const ids = new Set<unknown>();
    for (const { list, at } of [{ list: mockList, at: `${base}/${mocks.configKey}` }, ...furtherLists])
      problems.push(...this.mocks.load(list, at, ids));
    return {
      ...own,
      enabled: this.enabled,
      host: typeof own['host'] === 'string' ? own['host'] : this.services.defaultHost,
      port:
        typeof own['port'] === 'number'
          ? own['port']
          : this.services.takesDefaultPorts || !this.enabled
            ? meta.defaultPort
            : 0,
      portIsChosen: own['port'] !== undefined,
    };
  }
}

/** The fault of one kind, out of those of all kinds. */
function faultOf(kind: string, faults: FaultStore): KindFault {
  return {
    get: () => faults.get(kind),
    set: (fault) => faults.set(kind, fault),
    clear() {
      faults.clear(kind);
    },
    effective: () => faults.effective(kind),
  };
}

function takeList(
  block: Record<string, unknown>,
  key: string,
  base: string,
  problems: Problem[],
): readonly unknown[] {
  const list = block[key];
  delete block[key];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list)) return list;
  problems.push({ path: `${base}/${key}`, message: `must be a list, got ${show(list)}` });
  return [];
}

/** Takes every list that a pointer with `*` steps leads to out of a block; what is no list is left for the schema. */
function takeLists(
  block: unknown,
  pointer: string,
  base: string,
): readonly { readonly list: readonly unknown[]; readonly at: string }[] {
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  let holders = [{ value: block, at: base }];
  for (const step of steps) {
    holders = holders.flatMap(({ value, at }) => {
      if (step !== '*') return isObject(value) ? [{ value: value[step], at: `${at}/${step}` }] : [];
      return Array.isArray(value)
        ? value.map((each: unknown, index) => ({ value: each, at: `${at}/${index}` }))
        : [];
    });
  }
  return holders.flatMap(({ value, at }) => {
    const list = isObject(value) ? value[last] : undefined;
    if (!isObject(value) || !Array.isArray(list)) return [];
    delete value[last];
    return [{ list, at: `${at}/${last}` }];
  });
}
