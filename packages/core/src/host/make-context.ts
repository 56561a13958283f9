import type { CaptureFollower, CaptureReader } from '../contract/context.js';
import type { Message } from '../contract/message.js';
import type { Match } from '../contract/outcome.js';
import { invalid } from '../errors.js';
import { AnsweredMatch } from '../pipeline/answered-match.js';
import { Scope } from '../pipeline/scope.js';
import { newId } from '../random/new-id.js';
import { randomFor } from '../random/random.js';
import { KindDoors } from '../spaces/space-doors.js';
import type { StreamStore } from '../stores/stream-store.js';
import { readUpstream } from '../upstream/read-upstream.js';
import type { Until } from './following.js';
import type { KindHost } from './kind-host.js';
import { portsOf } from './ports-of.js';
import { phaseFaults } from './phase-faults.js';

/** Makes what a protocol's `create` is given: exactly what it declared. */
export function makeContext(
  host: KindHost,
  streams: StreamStore,
  capturesOf: (kind: string) => CaptureReader | undefined,
  followCaptures: (gives: string, follower: CaptureFollower, until: Until) => boolean,
): Readonly<Record<string, unknown>> {
  const { services, kind, protocol } = host;
  let scopes = 0;
  const upstream = readUpstream(protocol, host.config.upstream, host.config);
  const until: Until = (end) => host.following.add(end);
  return {
    kind,
    config: host.config,
    receive: (message: Message) => host.receive(message),
    mocks: {
      index: host.table.index,
      values: () => host.mocks.values(),
      onChange: (callback: Parameters<typeof host.mocks.onChange>[0]) => until(host.mocks.onChange(callback)),
      create: (mock: unknown) => host.brought.create(mock),
      replace: (id: string, mock: unknown) => host.brought.replace(id, mock),
      remove: (id: string) => host.brought.remove(id),
      find: (id: string) => (host.mocks.has(id) ? host.mocks.get(id) : undefined),
      matches: (message: Message) => host.table.selectAll(message).length > 0,
    },
    templates: {
      scope: (message?: Message, params = () => ({})) =>
        new Scope(services, message, params, [kind, 'scope', ++scopes]),
      render: (template: { render(scope: unknown): string }, scope: unknown) => template.render(scope),
      renderValue: (template: { render(scope: unknown): unknown }, scope: unknown) => template.render(scope),
    },
    state: services.state,
    clock: services.clock,
    random: (...parts: (string | number)[]) => randomFor(services.seed, kind, ...parts),
    newId,
    toxics: {
      get current() {
        return host.toxics.current;
      },
      follow: (listener: () => void) => until(host.toxics.follow(listener)),
      nextNumber: () => host.toxics.nextNumber(),
      random: (...args: Parameters<typeof host.toxics.random>) => host.toxics.random(...args),
    },
    get upstream() {
      host.followsUpstream = true;
      return upstream;
    },
    get contract() {
      return host.contract;
    },
    ...(services.sharedPorts === undefined ? {} : { ports: portsOf(host, services.sharedPorts) }),
    log: host.log,
    spaces: new KindDoors(kind, services.spaces, services.space),
    addToSnapshots: (name: string, part: Parameters<typeof host.snapshotParts.add>[1]) =>
      host.snapshotParts.add(name, part),
    capturesOf: (other: string) => {
      const reader = capturesOf(other);
      if (reader === undefined)
        throw invalid(`${kind} needs what ${other} captures: enable ${other} as well`);
      return {
        values: () => reader.values(),
        items: () => reader.items(),
        subscribe: (callback: Parameters<CaptureReader['subscribe']>[0]) => until(reader.subscribe(callback)),
      };
    },
    followCaptures: (gives: string, follower: CaptureFollower) => followCaptures(gives, follower, until),
    ...(protocol.fault === undefined ? {} : { faults: phaseFaults(host, until) }),
    ...(host.captures === undefined ? {} : { captures: host.captures }),
    ...(protocol.streams === undefined
      ? {}
      : {
          streams: {
            open: (mockId: string, control: Parameters<StreamStore['open']>[2], match?: Match) =>
              streams.open(kind, mockId, control, match instanceof AnsweredMatch ? match.feed : undefined),
          },
        }),
    ...(protocol.itemLists === undefined ? {} : { itemLists: itemListViews(host, until) }),
  };
}

function itemListViews(host: KindHost, until: Until): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(host.itemLists, ([name, store]) => [
      name,
      {
        get: (id: string) => store.find(id),
        values: () => store.values(),
        onChange: (callback: () => void) => until(store.onChange(callback)),
      },
    ]),
  );
}
