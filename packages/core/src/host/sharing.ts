import type { Problem } from '../errors.js';
import { BacklotError } from '../errors.js';
import { show } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';
import type { KindHost } from './kind-host.js';

/** Settings of a listener, of which a kind that shares one has none. */
const OF_A_LISTENER = ['host', 'port', 'tls', 'toxics'] as const;

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
    const problem = upstreamProblem(kind, giver, given['upstream'], settings[giver.kind]);
    if (problem !== undefined) problems.push({ ...problem, path: `${base}${problem.path}` });
    kind.giver = giver;
  }
  return problems;
}

/** What is wrong with the upstream of a kind that shares a listener: it has one where that is told which server a message is for. */
function upstreamProblem(
  { protocol }: KindHost,
  giver: KindHost,
  given: unknown,
  ofGiver: unknown,
): Problem | undefined {
  if (!isObject(given)) return undefined;
  const { mode, url } = given;
  if (url === undefined && mode === 'replay') return undefined;
  if (url !== undefined || protocol.recording?.openWith !== 'share')
    return { path: '/upstream', message: `cannot stand beside share: it is that of ${giver.kind}` };
  const needed = giver.protocol.recording?.openWith;
  if (needed !== undefined && isObject(ofGiver) && Object.hasOwn(ofGiver, needed)) return undefined;
  const message =
    needed === undefined
      ? `${show(mode)} needs a listener that is told which server a message is for, and ${giver.kind} is not`
      : `${show(mode)} needs the setting ${needed} of ${giver.kind}, with which each message says itself where it goes`;
  return { path: '/upstream/mode', message };
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
