import type { ConfigProblem } from './problem.js';

/** Settings of an upstream that only a connection to it needs. */
const OF_CONNECTIONS: readonly string[] = ['url', 'ca'];

/** A setting of an upstream in which a name has no value. */
export interface UnsetUpstream {
  readonly kind: string;
  readonly field: string;
  /** What stands there. */
  readonly text: string;
  readonly problem: ConfigProblem;
}

/** The upstream that a text belongs to, by the names that lead to it; `undefined` for other texts. */
export function upstreamAt(names: readonly string[]): Pick<UnsetUpstream, 'kind' | 'field'> | undefined {
  const [top, kind, block, field] = names;
  if (names.length !== 4 || top !== 'protocols' || block !== 'upstream') return undefined;
  if (kind === undefined || field === undefined || !OF_CONNECTIONS.includes(field)) return undefined;
  return { kind, field };
}
