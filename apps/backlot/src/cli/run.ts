import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { renameVariables } from '@backlot/core';
import { planServer, type ServerPlan } from '../server/plan.js';
import { startServer, type RunningServer } from '../server/start-server.js';
import { listUnknown, serviceVariablesOf } from '../services/running.js';
import { variablesOf } from '../server/urls.js';
import { readVersion } from '../version.js';
import { writeCaFile, type CaFile } from './ca-file.js';
import { CommandError } from './command-error.js';
import { environment } from './connect.js';
import { formatEntry } from './entry-line.js';
import { loadConfig, type LoadedConfig } from './load-config.js';
import { stopWithNpx } from './npx.js';
import { note } from './output.js';
import { keepLiving } from './signals.js';
import { logLines } from './server-log.js';
import type { ServerFlags } from './start-options.js';

const MAX_LISTED = 50;

/** The flags of `backlot run`. */
export interface RunFlags extends ServerFlags {
  readonly failOnUnmatched: boolean;
  /** Pairs of a variable and a further name for it. */
  readonly env: readonly (readonly [string, string])[];
}

/** `backlot run -- COMMAND`: the servers live as long as the command, and its exit code is ours. */
export async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  const config = await loadConfig(flags.config, flags.plugin, { only: flags.only, services: flags.service });
  const plan = planServer(config.settings, config.protocols, {
    only: flags.only,
    seed: flags.seed,
    freePorts: true,
    token: environment('BACKLOT_API_TOKEN'),
  });
  stopWithNpx();
  const log = logLines(true);
  keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
  const server = await startServer({ plan, protocols: config.protocols, version: readVersion(), log });
  let code: number;
  let ca: CaFile | undefined;
  try {
    ca = await writeCaFile(plan);
    code = await runCommand(command, variablesFor(server, plan, ca, config.services, flags.env));
    if (flags.failOnUnmatched && reportUnmatched(server, config.services) && code === 0) code = 1;
  } finally {
    ca?.remove();
    await server.stop();
  }
  process.exit(code);
}

/** What the command is told, with the further names that were asked for. */
function variablesFor(
  { host, apiUrl }: RunningServer,
  { api: { token } }: ServerPlan,
  ca: CaFile | undefined,
  services: LoadedConfig['services'],
  further: RunFlags['env'],
): Record<string, string> {
  const variables = {
    ...variablesOf(host, apiUrl),
    ...serviceVariablesOf(services, host),
    ...(token === undefined ? {} : { BACKLOT_API_TOKEN: token }),
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

function reportUnmatched({ host }: RunningServer, services: LoadedConfig['services']): boolean {
  const unmatched = host.kinds
    .filter(({ enabled, protocol }) => enabled && protocol.mocks.quietWhenUnmatched !== true)
    .flatMap(({ kind }) => host.journal.list({ protocol: kind, unmatched: true }));
  const entries = [...unmatched, ...listUnknown(services, host)];
  if (entries.length === 0) return false;
  note(`error: ${entries.length === 1 ? '1 message' : `${entries.length} messages`} met no mock:`);
  for (const entry of entries.slice(0, MAX_LISTED)) note(`  ${formatEntry(entry)}`);
  if (entries.length > MAX_LISTED) note(`  and ${entries.length - MAX_LISTED} more`);
  return true;
}
