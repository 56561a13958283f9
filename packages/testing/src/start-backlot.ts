import { BacklotError, createHost, renameVariables, type Host, type Protocol } from '@backlot/core';
import type { ServiceName } from './service-variables.js';
import { applyEnv } from './apply-env.js';
import type { Backlot, BacklotMembers, BacklotOptions } from './backlot.js';
import { makeProtocolHandle } from './make-protocol-handle.js';
import { withConfig } from './read-config.js';
import { withProblems } from './show-problems.js';
import { markSubject } from './subject.js';
import type { Waits } from './wait.js';

/** So that a test that ends is not kept by connections that its code has left open. */
const GRACE = 200;
const DEFAULT_SEED = 1;
/** What a Backlot has beside its protocols, by name; `then` would make a promise of it. */
const TAKEN: ReadonlySet<string> = new Set<keyof BacklotMembers | 'then'>([
  'host',
  'clock',
  'seed',
  'state',
  'collection',
  'scenarios',
  'streams',
  'journal',
  'webhooks',
  'env',
  'reset',
  'snapshot',
  'stop',
  'then',
]);

/**
 * Starts protocols on free ports.
 *
 * @example
 * const backlot = await startBacklot({ protocols: [http, smtp], env: true });
 * backlot.http.mock({ id: 'hello', request: { path: '/hello' }, response: { body: 'Hello' } });
 *
 * @throws BacklotError `invalid` with every problem of the options; `conflict` for a kind whose name a Backlot uses itself
 */
export async function startBacklot<
  const P extends readonly Protocol[] = readonly [],
  const S extends readonly ServiceName[] = readonly [],
>(options: BacklotOptions<P, S>): Promise<Backlot<P, S>> {
  const { env = false, seed, ...rest } = options;
  const { options: completed, variablesOf } = await withConfig<P>(rest);
  const host = await createHost<P>({ ...completed, seed: seed ?? completed.seed ?? DEFAULT_SEED }).catch(
    (thrown: unknown) => {
      throw withProblems(thrown);
    },
  );
  try {
    checkNames(host);
    const waits: Waits = new Set();
    const kinds = new Map(host.kinds.map((kind) => [kind.kind, makeProtocolHandle(host, kind, waits)]));
    await host.start();
    const ofKinds = Object.fromEntries(host.kinds.flatMap((kind) => Object.entries(kind.variables)));
    const variables = { ...ofKinds, ...variablesOf(host) };
    const members = makeMembers(host, variables, waits);
    for (const [name, kind] of kinds) {
      Object.defineProperty(members, name, { value: kind, enumerable: true });
    }
    markSubject(members, { type: 'backlot', name: 'the Backlot', host, kinds: host.kinds });
    // The members for the kinds have just been added.
    const backlot = members as Backlot<P, S>;
    if (typeof env === 'function') Object.assign(variables, env(backlot));
    else if (typeof env === 'object')
      Object.assign(variables, renameVariables(variables, Object.entries(env)));
    if (env !== false) members.applyEnv();
    return backlot;
  } catch (thrown) {
    await host.stop(0);
    throw thrown;
  }
}

function makeMembers(host: Host, env: Readonly<Record<string, string>>, waits: Waits): BacklotMembers {
  let undoEnv: (() => void) | undefined;
  const restoreEnv = (): void => {
    undoEnv?.();
    undoEnv = undefined;
  };
  return {
    host,
    clock: host.clock,
    seed: host.seed,
    state: host.state,
    collection: (name) => host.collection(name),
    scenarios: host.scenarios,
    streams: host.streams,
    journal: host.journal,
    webhooks: host.webhooks,
    env,
    applyEnv() {
      undoEnv ??= applyEnv(env);
      return restoreEnv;
    },
    reset: () => host.reset(),
    snapshot(name) {
      const { id } = host.snapshots.create(name);
      return { restore: () => host.snapshots.restore(id), remove: () => host.snapshots.remove(id) };
    },
    async stop() {
      restoreEnv();
      for (const cancel of [...waits]) cancel('the Backlot was stopped while this waited');
      await host.stop(GRACE);
    },
  };
}

function checkNames(host: Host): void {
  for (const { kind } of host.kinds) {
    if (!TAKEN.has(kind)) continue;
    throw new BacklotError(
      'conflict',
      `protocol "${kind}" has the name of a member that every Backlot has; use createHost of @backlot/core for it`,
    );
  }
}
