import { isLoopback } from '@backlot/core/plugin';
import { processCertificate } from '@backlot/kit';
import { formatProblem } from '../config/problem.js';
import { planServer, type ClusterPlan, type ServerPlan, type WorkerPlan } from '../server/plan.js';
import { startServer, type RunningServer } from '../server/start-server.js';
import { placesOf, type ServicePlace } from '../services/running.js';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { environment, tokenOf } from './connect.js';
import { loadConfig, type LoadedConfig } from './load-config.js';
import { stopWithNpx } from './npx.js';
import { note, noteText, print, printText, sayWhenUnread } from './output.js';
import { describeServer, firstTry, readyLine } from './server-lines.js';
import { logLines } from './server-log.js';
import { keepLiving, stopOnSignals } from './signals.js';
import type { ServerFlags } from './start-options.js';
import type { TrafficFormat } from './traffic-log.js';

/** The flags of `backlot start`. */
export interface StartFlags extends ServerFlags {
  /** Where the engine of the cluster is. */
  readonly cluster?: string;
  /** How many processes serve the same ports. */
  readonly workers?: number;
  readonly clusterName?: string;
  readonly clusterData?: ClusterPlan['data'];
  readonly replica?: string;
  /** Where the other replicas reach its management port. */
  readonly replicaUrl?: string;
  /** Where it takes connections that they hand over. */
  readonly handOverPort?: number;
  readonly printCa: boolean;
  readonly isQuiet: boolean;
  /** How the traffic is shown. */
  readonly log: TrafficFormat;
  /** Whether the configuration is read again when its files have changed. */
  readonly watch: boolean;
}

/** `backlot start`: starts everything, says where it listens, and stays until it is told to stop. */
export async function start(flags: StartFlags): Promise<void> {
  const load = (): Promise<LoadedConfig> => loadFor(flags);
  const config = await load();
  // Before the start, so that a change while it starts is seen.
  const seen = flags.watch ? (await import('./reload.js')).seenNow(config) : new Map<string, string>();
  if (flags.watch && config.files.length === 0)
    throw new CommandError('there is no configuration file to watch; name one, or leave --watch out');
  const plan = planFor(config, flags);
  if (flags.watch && plan.cluster !== undefined)
    throw new CommandError(
      '--watch is for a server of its own: a replica takes changes from the log of its cluster alone; use "backlot apply"',
    );
  if (flags.workers !== undefined && plan.cluster !== undefined)
    throw new CommandError(
      '--workers is for a server without --cluster: both keep an order of changes, and there can be one only. Start as many replicas on this machine as it has processors, each with ports and a name (--replica) of its own, behind what balances the load',
    );
  printNotices(config);
  const log = logLines(flags.isQuiet);
  // A signal that comes while the server is still starting stops it as soon as it has started.
  const stopping = stopOnSignals(config.plugins.some(({ isBuiltIn }) => !isBuiltIn));
  stopWithNpx();
  sayWhenUnread();
  keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
  await stopping.ready;
  if (flags.workers !== undefined) {
    const { startTogether } = await import('./start-together.js');
    await startTogether({
      ...{ flags, workers: flags.workers, config, seen, load, log, stopping, plan, warnOfOthers },
      planOf: (other) => planFor(other, flags),
      announce: (said) => announce(said, flags),
    });
    return;
  }
  const server = await startServer({ plan, protocols: config.protocols, version: readVersion(), log });
  stopping.setServer(server);
  if (config.files.length > 0) {
    const { Reload, takeInto } = await import('./reload.js');
    const take = takeInto(server, (other) => planFor(other, flags));
    const taken = (other: LoadedConfig): void => warnOfOthers(planFor(other, flags));
    const reload = new Reload({ config, seen, log, load, take, taken });
    stopping.setReload(() => void reload.now());
    if (flags.watch) reload.watch();
  }
  warnOfOthers(plan);
  try {
    // Whoever reads that it is ready may send the first message at once.
    if (flags.log !== 'none') (await import('./traffic-log.js')).logTraffic(server.host, flags.log);
    announce(await announcementOf(server, flags, placesOf(config.services, server.host)), flags);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Says that others may use the management port. */
export function warnOfOthers({ api }: ServerPlan): void {
  if (isLoopback(api.host) || api.token !== undefined) return;
  note(
    `warning: the management API on ${api.host} can be used by everybody who reaches it; set BACKLOT_API_TOKEN or api.token`,
  );
}

/** Loads the configuration that flags name. */
export function loadFor(flags: StartFlags): Promise<LoadedConfig> {
  return loadConfig(flags.config, flags.plugin, {
    only: flags.only,
    named: flags.ports.keys(),
    services: flags.service,
    ports: flags.ports,
    sets: flags.set,
  });
}

/** What a configuration, with the flags and the environment over it, makes of a server. */
export function planFor(config: LoadedConfig, flags: StartFlags, worker?: WorkerPlan): ServerPlan {
  return planServer(config.settings, config.protocols, {
    host: flags.host ?? environment('BACKLOT_HOST'),
    apiPort: flags.apiPort,
    toxiproxyPort: flags.toxiproxyPort,
    ports: withoutServices(flags.ports, config),
    only: flags.only,
    seed: flags.seed,
    token: tokenOf(flags),
    ui: flags.ui === false ? false : undefined,
    cluster: clusterOf(flags),
    worker,
  });
}

/** The cluster that flags and environment name. @throws CommandError for flags without one */
function clusterOf({
  cluster,
  clusterName,
  clusterData,
  replica,
  replicaUrl,
  handOverPort,
  workers,
}: StartFlags): ClusterPlan | undefined {
  const url = cluster ?? environment('BACKLOT_CLUSTER');
  const name = replica ?? environment('BACKLOT_REPLICA');
  if (url === undefined) {
    const given = {
      ...{ '--cluster-name': clusterName, '--cluster-data': clusterData },
      ...{ '--replica': replica, '--replica-url': replicaUrl, '--hand-over-port': handOverPort },
    };
    const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (flag === undefined) return undefined;
    if (workers !== undefined)
      throw new CommandError(
        flag === '--cluster-data'
          ? '--cluster-data is for replicas of a cluster, and not for --workers: worker 1 alone has what clients store, and nobody keeps a copy of it, so that one that takes its place begins with the configuration. Start replicas with --cluster for data that outlive their process'
          : `${flag} is for a replica of a cluster, and not for --workers, which are named and found by the process that starts them; leave it out`,
      );
    throw new CommandError(`${flag} is for a replica of a cluster; say which with --cluster`);
  }
  if (name !== undefined && !/^[\w.-]{1,100}$/.test(name))
    throw new CommandError(
      `the name of the replica ${JSON.stringify(name.slice(0, 100))} must be 1 to 100 letters, digits, points, hyphens and underscores`,
    );
  if (replicaUrl !== undefined && !(/^https?:\/\//.test(replicaUrl) && URL.canParse(replicaUrl)))
    throw new CommandError(
      `--replica-url ${JSON.stringify(replicaUrl.slice(0, 200))} must be like http://10.0.0.7:9091`,
    );
  return {
    url,
    name: clusterName ?? 'backlot',
    ...(name === undefined ? {} : { replica: name }),
    ...(replicaUrl === undefined ? {} : { replicaUrl }),
    ...(clusterData === undefined ? {} : { data: clusterData }),
    ...(handOverPort === undefined ? {} : { handOverPort }),
  };
}

/** Those of protocols: ports of services are in the settings. */
function withoutServices(ports: StartFlags['ports'], { services }: LoadedConfig): StartFlags['ports'] {
  const names = new Set(services.map(({ definition }) => definition.header.name));
  return new Map([...ports].filter(([name]) => !names.has(name)));
}

/** What is said of a server that listens. */
export interface Announcement {
  /** A line for each listener. */
  readonly listeners: readonly string[];
  /** The certificate of TLS listeners, where it was asked for. */
  readonly ca?: string;
  /** A command that shows that it works. */
  readonly try: string;
  readonly ready: string;
}

/** What is to be said of a server. */
export async function announcementOf(
  server: RunningServer,
  flags: StartFlags,
  services: readonly ServicePlace[],
): Promise<Announcement> {
  return {
    listeners: describeServer(server, services),
    ...(flags.printCa ? { ca: (await processCertificate()).cert.trimEnd() } : {}),
    try: firstTry(server),
    ready: readyLine(server, services),
  };
}

/** Says that a server listens, and where. */
export function announce(said: Announcement, flags: StartFlags): void {
  // Whoever reads JSON reads a value on every line.
  const say = flags.log === 'json' ? note : print;
  if (!flags.isQuiet) {
    say(`Backlot ${readVersion()}`);
    for (const line of said.listeners) say(`  ${line}`);
  }
  const sayText = flags.log === 'json' ? noteText : printText;
  if (said.ca !== undefined) sayText(said.ca);
  if (!flags.isQuiet) say(`Try: ${said.try}`);
  say(said.ready);
}

function printNotices({ opened }: LoadedConfig): void {
  if (opened === undefined) return;
  for (const notice of opened.notices) note(`notice: ${formatProblem(opened.source.file, notice)}`);
}
