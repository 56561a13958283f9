import type { Problem } from '../errors.js';
import { BacklotError } from '../errors.js';
import { show } from '../validation/messages.js';
import { pointTo } from '../validation/pointer.js';
import type { KindHost } from './kind-host.js';

/** Settings of a listener, of which a kind that shares one has none. */
const OF_A_LISTENER = ['host', 'port', 'tls', 'toxics', 'upstream'] as const;

/**
 * Lets each kind whose configuration names another one share its listener.
 *
 * @param settings - the settings of all kinds, as they were given
 * @returns what is wrong with them
 */
export function shareListeners(
  kinds: ReadonlyMap<string, KindHost>,
  settings: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const kind of kinds.values()) {
    const { takes } = kind.protocol.meta;
    const wanted = kind.config['share'];
    if (takes === undefined || wanted === undefined || !kind.enabled) continue;
    const base = pointTo('/settings', kind.kind);
    const giver = typeof wanted === 'string' ? kinds.get(wanted) : undefined;
    if (giver === undefined || giver === kind || giver.protocol.meta.gives !== takes) {
      const able = [...kinds.values()].filter(({ protocol }) => protocol.meta.gives === takes);
      const names = able.map((one) => `"${one.kind}"`).join(' or ') || 'a protocol that is installed';
      problems.push({ path: `${base}/share`, message: `must be ${names}, got ${show(wanted)}` });
      continue;
    }
    if (!giver.enabled) {
      const message = `${giver.kind} is not enabled; enable it, or leave share out`;
      problems.push({ path: `${base}/share`, message });
      continue;
    }
    const given = settings[kind.kind] as Readonly<Record<string, unknown>>;
    for (const name of OF_A_LISTENER) {
      if (given[name] === undefined) continue;
      const message = `cannot stand beside share: it is that of ${giver.kind}`;
      problems.push({ path: `${base}/${name}`, message });
    }
    kind.giver = giver;
  }
  return problems;
}

/** Lets each kind share the listener that its like in another host shares. */
export function shareAsIn(origin: ReadonlyMap<string, KindHost>, kinds: ReadonlyMap<string, KindHost>): void {
  for (const { kind, giver } of origin.values()) {
    const own = kinds.get(kind);
    if (giver !== undefined && own !== undefined) own.giver = kinds.get(giver.kind);
  }
}

/** Hands the services that share a listener to those that have it; all have been made, and none has been started. */
export function admitGuests(kinds: readonly KindHost[]): void {
  for (const { kind, giver, service, hasHome } of kinds) {
    if (giver === undefined) continue;
    if (service?.guest === undefined || giver.service?.admit === undefined)
      throw new BacklotError('internal', `protocol "${kind}" cannot share the listener of ${giver.kind}`);
    giver.service.admit(service.guest);
    if (hasHome) giver.hasHome = true;
  }
}
