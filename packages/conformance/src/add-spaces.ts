import type { Kind } from '@backlot/core';
import type { RunningKind } from './start-kind.js';

/** The kind in the main world and in two spaces. */
export interface KindInSpaces {
  readonly main: Kind;
  readonly t1: Kind;
  readonly t2: Kind;
}

/** Makes the spaces `t1` and `t2` of a running host, in which the kind is started when it is first used. */
export async function addSpaces({
  host,
  kind: main,
}: Pick<RunningKind, 'host' | 'kind'>): Promise<KindInSpaces> {
  const [t1, t2] = await Promise.all(
    ['t1', 't2'].map(async (id) => (await host.spaces.create({ id })).host.kind(main.kind)),
  );
  if (t1 === undefined || t2 === undefined) throw new Error('no spaces were made');
  return { main, t1, t2 };
}
