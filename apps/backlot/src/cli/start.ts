import { processCertificate } from '@backlot/kit';
import { dottedPath, placeOf } from '../config/source.js';
import { formatProblem } from '../config/problem.js';
import { planServer, type ClusterPlan } from '../server/plan.js';
import { isLoopback, startServer, type RunningServer } from '../server/start-server.js';
import { placesOf, type ServicePlace } from '../services/running.js';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { environment } from './connect.js';
import { loadConfig, type LoadedConfig } from './load-config.js';
import { stopWithNpx } from './npx.js';
import { note, print, printText } from './output.js';
import { describeServer, firstTry, readyLine } from './server-lines.js';
import { logLines } from './server-log.js';
import { keepLiving, stopOnSignals } from './signals.js';
import type { ServerFlags } from './start-options.js';

/** The flags of `backlot start`. */
export interface StartFlags extends ServerFlags {
  /** Where the engine of the cluster is. */
  readonly cluster?: string;
  readonly clusterName?: string;
  readonly clusterData?: 'replica';
  readonly replica?: string;
  readonly printCa: boolean;
  readonly isQuiet: boolean;
}

/** `backlot start`: starts everything, says where it listens, and stays until it is told to stop. */
export async function start(flags: StartFlags): Promise<void> {
  const config = await loadConfig(flags.config, flags.plugin, {
    only: flags.only,
    named: flags.ports.keys(),
    services: flags.service,
    ports: flags.ports,
  });
  const plan = planServer(config.settings, config.protocols, {
    host: flags.host ?? environment('BACKLOT_HOST'),
    apiPort: flags.apiPort,
    toxiproxyPort: flags.toxiproxyPort,
    ports: withoutServices(flags.ports, config),
    only: flags.only,
    seed: flags.seed,
    token: environment('BACKLOT_API_TOKEN'),
    ui: flags.ui === false ? false : undefined,
    cluster: clusterOf(flags),
  });
  printNotices(config);
  const log = logLines(flags.isQuiet);
  // A signal that comes while the server is still starting stops it as soon as it has started.
  const stopping = stopOnSignals(config.plugins.some(({ isBuiltIn }) => !isBuiltIn));
  stopWithNpx();
  keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
  await stopping.ready;
  const server = await startServer({ plan, protocols: config.protocols, version: readVersion(), log });
  stopping.setServer(server);
  if (!isLoopback(plan.api.host) && plan.api.token === undefined) {
    note(
      `warning: the management API on ${plan.api.host} can be used by everybody who reaches it; set BACKLOT_API_TOKEN or api.token`,
    );
  }
  try {
    await announce(server, flags, placesOf(config.services, server.host));
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The cluster that flags and environment name. @throws CommandError for flags without one */
function clusterOf({ cluster, clusterName, clusterData, replica }: StartFlags): ClusterPlan | undefined {
  const url = cluster ?? environment('BACKLOT_CLUSTER');
  const name = replica ?? environment('BACKLOT_REPLICA');
  if (url === undefined) {
    const given = { '--cluster-name': clusterName, '--cluster-data': clusterData, '--replica': replica };
    const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (flag === undefined) return undefined;
    throw new CommandError(`${flag} is for a replica of a cluster; say which with --cluster`);
  }
  if (name !== undefined && !/^[\w.-]{1,100}$/.test(name))
    throw new CommandError(
      `the name of the replica ${JSON.stringify(name.slice(0, 100))} must be 1 to 100 letters, digits, points, hyphens and underscores`,
    );
  return {
    url,
    name: clusterName ?? 'backlot',
    ...(name === undefined ? {} : { replica: name }),
    ...(clusterData === undefined ? {} : { data: clusterData }),
  };
}

/** Those of protocols: ports of services are in the settings. */
function withoutServices(ports: StartFlags['ports'], { services }: LoadedConfig): StartFlags['ports'] {
  const names = new Set(services.map(({ definition }) => definition.header.name));
  return new Map([...ports].filter(([name]) => !names.has(name)));
}

async function announce(
  server: RunningServer,
  flags: StartFlags,
  services: readonly ServicePlace[],
): Promise<void> {
  if (!flags.isQuiet) {
    print(`Backlot ${readVersion()}`);
    for (const line of describeServer(server, services)) print(`  ${line}`);
  }
  if (flags.printCa) printText((await processCertificate()).cert.trimEnd());
  if (!flags.isQuiet) print(`Try: ${firstTry(server)}`);
  print(readyLine(server, services));
}

function printNotices({ opened }: LoadedConfig): void {
  if (opened === undefined) return;
  for (const notice of opened.notices) {
    const pointer = '/mockly/ui';
    const place = placeOf(opened.source, pointer);
    const isThere = notice.startsWith(dottedPath(opened.source, pointer));
    note(
      `notice: ${formatProblem(opened.source.file, { place: isThere ? place : undefined, path: '', message: notice })}`,
    );
  }
}
