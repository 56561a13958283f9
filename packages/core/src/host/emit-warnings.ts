import type { Json } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import { findMissingTargets, type EmitKinds } from '../emits/missing-targets.js';
import type { Problem } from '../errors.js';
import type { StreamStore } from '../stores/stream-store.js';
import { isObject } from '../validation/pointer.js';
import type { KindHost } from './kind-host.js';

/** The parts of a host that are looked at. */
interface EmittingHost {
  readonly kinds: readonly KindHost[];
  readonly streams: StreamStore;
}

/** What the mocks of these settings emit to nobody, with JSON pointers into the options of the host. */
export function findEmitWarnings(
  host: EmittingHost,
  settings: Readonly<Record<string, unknown>> = {},
): readonly Problem[] {
  const kinds = emitKindsOf(host);
  return host.kinds.flatMap(({ kind, protocol }) => {
    const block = Object.hasOwn(settings, kind) ? settings[kind] : undefined;
    return mocksIn(protocol, block, `/settings/${kind}`).flatMap(({ value, at }) =>
      findMissingTargets(value['emit'], kinds).map(({ path, message }) => ({ path: at + path, message })),
    );
  });
}

/** Logs what mocks emit to nobody. */
export function logEmitWarnings(host: EmittingHost): void {
  const kinds = emitKindsOf(host);
  for (const { mocks, log, protocol } of host.kinds) {
    for (const { id, emit } of mocks.list()) {
      if (emit === undefined) continue;
      for (const { path, message } of findMissingTargets(emit, kinds))
        log.warn(`${protocol.mocks.noun} "${id}": ${path}: ${message}`);
    }
  }
}

function emitKindsOf({ kinds, streams }: EmittingHost): EmitKinds {
  return {
    find: (kind) => kinds.find((one) => one.kind === kind),
    withStreams: streams.kinds(),
    checkData: (kind, data) => streams.problemsOf(kind, data),
  };
}

interface Found<T = unknown> {
  readonly value: T;
  readonly at: string;
}

/** The mocks of a kind's block, with their places. */
function mocksIn({ mocks }: Protocol, block: unknown, base: string): Found<Json>[] {
  const pointers = [`/${mocks.configKey}`, ...(mocks.furtherLists ?? [])];
  return pointers
    .flatMap((pointer) => followAll(block, `${pointer}/*`, base))
    .filter((found): found is Found<Json> => isObject(found.value));
}

/** Every value that a pointer with `*` steps leads to. */
function followAll(value: unknown, pointer: string, base: string): Found[] {
  let found: Found[] = [{ value, at: base }];
  for (const step of pointer.split('/').slice(1)) {
    found = found.flatMap(({ value: holder, at }) => {
      if (step !== '*') return isObject(holder) ? [{ value: holder[step], at: `${at}/${step}` }] : [];
      return Array.isArray(holder)
        ? holder.map((item: unknown, index) => ({ value: item, at: `${at}/${index}` }))
        : [];
    });
  }
  return found;
}
