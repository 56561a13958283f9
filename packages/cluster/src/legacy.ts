import type { Host } from '@backlot/core';
import type { Command } from '@backlot/management';

/** The name of the commands by which one that leaves hands over what it has counted; no route has it. */
export const LEAVE = '(leave)';

/** So many counts are handed over by one command. */
const AT_ONCE = 5_000;

/** How often mocks have matched on a replica that leaves. */
export interface Legacy {
  /** The process that takes them over; the name of a replica may be another one's later. */
  readonly to: string;
  /** The process that has counted them. */
  readonly from: string;
  readonly counts: readonly (readonly [kind: string, id: string, calls: number])[];
}

/**
 * What a replica hands over before it leaves: its counts of calls, by world. Those of mocks with `scope: replica` are its own.
 *
 * @param to - the process that takes them over
 */
export function* legaciesOf(main: Host, from: string, to: string): Generator<Command> {
  const worlds = [
    { host: main, space: undefined },
    ...main.spaces.list().map(({ host, id }) => ({ host, space: id })),
  ];
  for (const { host, space } of worlds) {
    const counts = [...countsOf(host)];
    for (let at = 0; at < counts.length; at += AT_ONCE) {
      const body: Legacy = { to, from, counts: counts.slice(at, at + AT_ONCE) };
      yield { route: LEAVE, params: {}, query: {}, body, ...(space === undefined ? {} : { space }) };
    }
  }
}

function* countsOf({ kinds }: Host): Generator<readonly [string, string, number]> {
  for (const { kind, calls, mocks } of kinds) {
    for (const [id, count] of calls.counts())
      if (mocks.has(id) && mocks.get(id).scope !== 'replica') yield [kind, id, count];
  }
}

/** Takes a legacy over, on the process that it is for; that which hands it over has nothing left of it. */
export function takeLegacy(host: Host, { to, from, counts }: Legacy, session: string): void {
  const sign = session === to ? 1 : session === from ? -1 : 0;
  if (sign === 0) return;
  for (const [kind, id, calls] of counts) if (host.hasKind(kind)) host.kind(kind).calls.add(id, sign * calls);
}
