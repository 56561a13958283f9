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
import type { KindHost } from './kind-host.js';
import { phaseFaults } from './phase-faults.js';

/** Makes what a protocol's `create` is given: exactly what it declared. */
export function makeContext(
  host: KindHost,
  streams: StreamStore,
  capturesOf: (kind: string) => CaptureReader | undefined,
  followCaptures: (gives: string, follower: CaptureFollower) => boolean,
): Readonly<Record<string, unknown>> {
  const { services, kind, protocol } = host;
  let scopes = 0;
  return {
    kind,
    config: host.config,
    receive: (message: Message) => host.receive(message),
    mocks: {
      index: host.table.index,
      values: () => host.mocks.values(),
      onChange: (callback: Parameters<typeof host.mocks.onChange>[0]) => host.mocks.onChange(callback),
      create: (mock: unknown) => host.mocks.create(mock).id,
      replace: (id: string, mock: unknown) => void host.mocks.replace(id, mock),
      remove: (id: string) => host.mocks.remove(id),
      matches: (message: Message) => host.table.selectAll(message).length > 0,
    },
    templates: {
      scope: (message?: Message) => new Scope(services, message, () => ({}), [kind, 'scope', ++scopes]),
      render: (template: { render(scope: unknown): string }, scope: unknown) => template.render(scope),
      renderValue: (template: { render(scope: unknown): unknown }, scope: unknown) => template.render(scope),
    },
    state: services.state,
    clock: services.clock,
    random: (...parts: (string | number)[]) => randomFor(services.seed, kind, ...parts),
    newId,
    toxics: host.toxics,
    log: host.log,
    spaces: new KindDoors(kind, services.spaces, services.space),
    addToSnapshots: (name: string, part: Parameters<typeof host.snapshotParts.add>[1]) =>
      host.snapshotParts.add(name, part),
    capturesOf: (other: string) => {
      const reader = capturesOf(other);
      if (reader === undefined)
        throw invalid(`${kind} needs what ${other} captures: enable ${other} as well`);
      return reader;
    },
    followCaptures,
    ...(protocol.fault === undefined ? {} : { faults: phaseFaults(host) }),
    ...(host.captures === undefined ? {} : { captures: host.captures }),
    ...(protocol.streams === undefined
      ? {}
      : {
          streams: {
            open: (mockId: string, control: Parameters<StreamStore['open']>[2], match?: Match) =>
              streams.open(kind, mockId, control, match instanceof AnsweredMatch ? match.feed : undefined),
          },
        }),
    ...(protocol.itemLists === undefined ? {} : { itemLists: itemListViews(host) }),
  };
}

function itemListViews(host: KindHost): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(host.itemLists, ([name, store]) => [
      name,
      {
        get: (id: string) => store.find(id),
        values: () => store.values(),
        onChange: (callback: () => void) => store.onChange(callback),
      },
    ]),
  );
}
