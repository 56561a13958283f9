import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { renameVariables, type Check, type HostOptions, type UpstreamMode } from '@backlot/core';
import { planServer, type ServerPlan } from '../server/plan.js';
import { startServer, type RunningServer } from '../server/start-server.js';
import { serviceVariablesOf } from '../services/running.js';
import { variablesOf } from '../server/urls.js';
import { readVersion } from '../version.js';
import { writeCaFile, type CaFile } from './ca-file.js';
import { CommandError } from './command-error.js';
import { tokenOf } from './connect.js';
import { loadConfig, type LoadedConfig } from './load-config.js';
import { stopWithNpx } from './npx.js';
import {
  findDifferences,
  findReplayed,
  findUnmatched,
  findUnverified,
  readCheck,
  type Finding,
} from './run-findings.js';
import { reportFindings, writeJUnit } from './run-report.js';
import { keepLiving } from './signals.js';
import { logLines } from './server-log.js';
import type { ServerFlags } from './start-options.js';
import { withUpstreamMode } from './upstream-modes.js';

/** The flags of `backlot run`. */
export interface RunFlags extends ServerFlags {
  readonly failOnUnmatched: boolean;
  /** A file with what must have been received at the end. */
  readonly verify: string | undefined;
  /** The file for a report in the XML of JUnit. */
  readonly junit: string | undefined;
  /** The mode of every upstream, in place of those of the settings. */
  readonly upstream: UpstreamMode | undefined;
  /** The file for what runs at the end, as a configuration. */
  readonly export: string | undefined;
  /** The file for the traffic. */
  readonly logs: string | undefined;
  /** Pairs of a variable and a further name for it. */
  readonly env: readonly (readonly [string, string])[];
}

/** `backlot run -- COMMAND`: the servers live as long as the command, and its exit code is ours. */
export async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  const config = await loadConfig(flags.config, flags.plugin, {
    only: flags.only,
    services: flags.service,
    sets: flags.set,
  });
  const settings =
    flags.upstream === undefined
      ? config.settings
      : withUpstreamMode(config.settings, config.protocols, flags.upstream);
  const plan = planServer(settings, config.protocols, {
    only: flags.only,
    seed: flags.seed,
    freePorts: true,
    toxiproxyPort: flags.toxiproxyPort,
    token: tokenOf(flags),
  });
  stopWithNpx();
  const log = logLines(true);
  keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
  const server = await startServer({ plan, protocols: config.protocols, version: readVersion(), log });
  let code: number;
  let ca: CaFile | undefined;
  try {
    const check = flags.verify === undefined ? undefined : await readCheck(flags.verify, server);
    ca = await writeCaFile(plan);
    code = await runCommand(command, variablesFor(server, plan, ca, config.services, flags.env));
    const ended = exitFinding(command, code);
    if (flags.export !== undefined) await writeConfiguration(flags.export, server);
    const findings = await look(server, config.services, flags, { check, settings: plan.host.settings });
    reportFindings(findings);
    if (code === 0 && findings.some(({ problems }) => problems.length > 0)) code = 1;
    if (code !== 0 || flags.logs !== undefined) {
      const { explainFailure, writeTraffic } = await import('./run-traffic.js');
      if (code !== 0) explainFailure(server.host);
      if (flags.logs !== undefined) await writeTraffic(flags.logs, server.host);
    }
    if (flags.junit !== undefined) await writeJUnit(flags.junit, [ended, ...findings]);
  } finally {
    ca?.remove();
    await server.stop();
  }
  process.exit(code);
}

/** Looks at what was asked for, once the command has ended. */
async function look(
  server: RunningServer,
  services: LoadedConfig['services'],
  flags: RunFlags,
  { check, settings }: { readonly check: Check | undefined; readonly settings: HostOptions['settings'] },
): Promise<Finding[]> {
  return [
    ...(flags.failOnUnmatched ? [findUnmatched(server, services)] : []),
    ...(check === undefined ? [] : await findUnverified(server, check)),
    ...findReplayed(server, settings),
    ...findDifferences(server, settings),
  ];
}

/** Writes what runs as a configuration file that starts the same. */
async function writeConfiguration(file: string, { host }: RunningServer): Promise<void> {
  const { configurationText } = await import('./client/export.js');
  try {
    await writeFile(file, configurationText(host.configuration()));
  } catch (thrown) {
    throw new CommandError(`cannot write ${file}: ${(thrown as Error).message}`);
  }
}

/** What the command, with its exit code, has to say in a report. */
function exitFinding([name = '']: readonly string[], code: number): Finding {
  return { name: `${name} ends with 0`, problems: code === 0 ? [] : [`${name} ended with ${code}`] };
}

/** What the command is told, with the further names that were asked for. */
function variablesFor(
  { host, apiUrl, toxiproxyUrl }: RunningServer,
  { api: { token } }: ServerPlan,
  ca: CaFile | undefined,
  services: LoadedConfig['services'],
  further: RunFlags['env'],
): Record<string, string> {
  const variables = {
    ...variablesOf(host, apiUrl),
    ...serviceVariablesOf(services, host),
    ...(token === undefined ? {} : { BACKLOT_API_TOKEN: token }),
    ...(toxiproxyUrl === undefined ? {} : { TOXIPROXY_URL: toxiproxyUrl }),
    ...ca?.variables,
  };
  return { ...variables, ...renameVariables(variables, further) };
}

function runCommand(
  [name = '', ...args]: readonly string[],
  variables: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      stdio: 'inherit',
      env: { ...process.env, ...variables },
    });
    const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
    // A terminal sends its interrupt to the command as well.
    const pass = (signal: NodeJS.Signals): void => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    const end = (): void => signals.forEach((signal) => process.off(signal, pass));
    child.once('error', (error: NodeJS.ErrnoException) => {
      end();
      const isMissing = error.code === 'ENOENT';
      reject(
        new CommandError(
          isMissing ? `command "${name}" is not there` : `command "${name}": ${error.message}`,
          isMissing ? 127 : 126,
        ),
      );
    });
    child.once('exit', (code, signal) => {
      end();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
