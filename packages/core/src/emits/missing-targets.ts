import type { Problem } from '../errors.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { parseTarget, type EmitTarget } from './compile-emits.js';

/** Beyond so many ids none is suggested: comparing a name with all of them takes time. */
const MAX_COMPARED = 1000;

/** The kinds of a host, as far as it matters here. */
export interface EmitKinds {
  find(kind: string):
    | {
        readonly enabled: boolean;
        readonly mocks: {
          has(id: string): boolean;
          readonly size: number;
          list(): readonly { readonly id: string }[];
        };
      }
    | undefined;
  /** The kinds that have streams. */
  readonly withStreams: readonly string[];
  /** What is wrong with data for a kind. */
  checkData(kind: string, data: unknown): readonly Problem[];
}

/**
 * What of `emit` will reach nobody, each at `/emit/<n>/to`, or be refused, at `/emit/<n>/data`. A mock that is not there
 * is no mistake by itself, since it may come later. Templates are left out: nobody knows what they make.
 */
export function findMissingTargets(emits: unknown, kinds: EmitKinds): Problem[] {
  if (!Array.isArray(emits)) return [];
  return emits.flatMap((emit: unknown, index) => {
    if (!isObject(emit) || typeof emit['to'] !== 'string') return [];
    const at = pointTo('/emit', index);
    const target = emit['to'].includes('{{') ? undefined : parseTarget(emit['to']);
    if (target === undefined) return [];
    const missing = describeMissing(target, kinds);
    if (missing !== undefined) return [{ path: `${at}/to`, message: missing }];
    if (JSON.stringify(emit['data'] ?? null).includes('{{')) return [];
    return kinds.checkData(target.kind, emit['data']).map(({ path, message }) => ({
      path: `${at}/data${path}`,
      message: `${message}; ${target.kind} does not take it`,
    }));
  });
}

function describeMissing({ kind, id }: EmitTarget, kinds: EmitKinds): string | undefined {
  const known = kinds.find(kind);
  if (!kinds.withStreams.includes(kind)) {
    const names = kinds.withStreams.join(', ') || 'none';
    return `protocol "${kind}" has no streams; those that have are ${names}`;
  }
  if (known?.enabled !== true) return `${kind} is not enabled, so that nothing can be pushed there`;
  const { mocks } = known;
  if (mocks.has(id)) return undefined;
  const meant =
    mocks.size > MAX_COMPARED
      ? undefined
      : suggest(
          id,
          mocks.list().map((mock) => mock.id),
        );
  const hint = meant === undefined ? '' : `; did you mean "${kind}/${meant}"?`;
  return `there is no mock "${id}" of ${kind}; nothing is pushed there until there is one${hint}`;
}
