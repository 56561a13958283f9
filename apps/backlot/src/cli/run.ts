import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { renameVariables, type UpstreamMode } from '@backlot/core';
import { planServer, type ServerPlan } from '../server/plan.js';
import { startServer, type RunningServer } from '../server/start-server.js';
import { unknownMockOf } from '../services/names.js';
import { serviceVariablesOf } from '../services/running.js';
import { variablesOf } from '../server/urls.js';
import { readVersion } from '../version.js';
import { writeCaFile, type CaFile } from './ca-file.js';
import { CommandError } from './command-error.js';
import { tokenOf } from './connect.js';
import { loadConfig, type LoadedConfig } from './load-config.js';
import { stopWithNpx } from './npx.js';
import type { Finding } from './finding.js';
import { note } from './output.js';
import { proxyVariables, withProxy } from './proxy.js';
import { beginCheck, findUnverified, UnmatchedWatch } from './run-findings.js';
import { reportFindings, writeJUnit } from './run-report.js';
import { keepLiving } from './signals.js';
import { logLines } from './server-log.js';
import type { ServerFlags } from './start-options.js';
import { withUpstreamMode } from './upstream-modes.js';
import { UpstreamWatch } from './upstream-watch.js';

/** The flags of `backlot run`. */
export interface RunFlags extends ServerFlags {
  readonly failOnUnmatched: boolean;
  /** Whether the command asks other hosts by a proxy that is made for it. */
  readonly proxy: boolean;
  /** A file with what must have been received at the end. */
  readonly verify: string | undefined;
  /** The file for a report in the XML of JUnit. */
  readonly junit: string | undefined;
  /** The mode of every upstream, in place of those of the settings. */
  readonly upstream: UpstreamMode | undefined;
  /** The file for the recordings that there are at the end, as a configuration. */
  readonly export: string | undefined;
  /** The file for the traffic. */
  readonly logs: string | undefined;
  /** The file for what ran and the log, when something failed. */
  readonly record: string | undefined;
  /** Whether it is written in any case. */
  readonly recordAlways: boolean;
  /** Whether to say what was touched of contracts, or the file for a report of it. */
  readonly coverage: string | true | undefined;
  /** Pairs of a variable and a further name for it. */
  readonly env: readonly (readonly [string, string])[];
}

/** `backlot run -- COMMAND`: the servers live as long as the command, and its exit code is ours. */
export async function run(command: readonly string[], flags: RunFlags): Promise<void> {
  if (flags.recordAlways && flags.record === undefined)
    throw new CommandError('--record-always needs the file of --record');
  const config = await loadConfig(flags.config, flags.plugin, {
    only: flags.only,
    services: flags.service,
    sets: flags.set,
    replays: flags.upstream === 'replay',
  });
  const given = flags.proxy ? withProxy(config.settings, config.protocols, flags.only) : config.settings;
  const settings =
    flags.upstream === undefined
      ? given
      : withUpstreamMode(given, config.protocols, flags.upstream, flags.only);
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
    const check = flags.verify === undefined ? undefined : await beginCheck(flags.verify, server);
    ca = await writeCaFile(plan);
    const unknownIds = new Set(
      config.services.map(({ definition }) => unknownMockOf(definition.header.name)),
    );
    const watch = new UpstreamWatch(server.host, plan.host.settings, unknownIds);
    const unmatched = flags.failOnUnmatched ? new UnmatchedWatch(server.host, unknownIds) : undefined;
    code = await runCommand(command, variablesFor(server, plan, ca, config.services, flags));
    const findings = [
      exitFinding(command, code),
      ...(unmatched === undefined ? [] : [unmatched.finding()]),
      ...(check === undefined ? [] : await findUnverified(check)),
      ...watch.findings(),
      ...(await writeFiles(flags, server)),
    ];
    watch.stop();
    unmatched?.stop();
    code = await conclude(code, findings, flags, server);
  } finally {
    ca?.remove();
    await server.stop();
  }
  process.exit(code);
}

/**
 * Writes the files of `--export` and `--logs`. One that cannot be written is a finding like others: the exit code of the command and
 * what else was found are not lost with it.
 */
export async function writeFiles(
  flags: Pick<RunFlags, 'export' | 'logs'> & Partial<Pick<RunFlags, 'coverage'>>,
  { host }: Pick<RunningServer, 'host'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const attempt = async (file: string, write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (thrown) {
      findings.push({ name: `${file} is written`, problems: [(thrown as Error).message] });
    }
  };
  const { export: recordings, logs, coverage } = flags;
  if (recordings !== undefined) {
    const { writeRecordings } = await import('./recordings.js');
    await attempt(recordings, () => writeRecordings(recordings, host));
  }
  if (logs !== undefined) {
    const { writeTraffic } = await import('./run-traffic.js');
    await attempt(logs, () => writeTraffic(logs, host));
  }
  if (coverage !== undefined) {
    const { reportCoverage } = await import('./run-coverage.js');
    const file = coverage === true ? undefined : coverage;
    await attempt(file ?? 'the coverage', () => reportCoverage(host, file));
  }
  return findings;
}

/** Says what was found, the first of which is about the command itself. @returns the exit code */
async function conclude(
  ended: number,
  findings: readonly Finding[],
  { junit, record, recordAlways }: Pick<RunFlags, 'junit' | 'record' | 'recordAlways'>,
  { host }: RunningServer,
): Promise<number> {
  const [, ...others] = findings;
  reportFindings(others);
  let code = ended;
  if (code === 0 && others.some(({ problems }) => problems.length > 0)) code = 1;
  if (code !== 0) {
    const { explainFailure } = await import('./run-traffic.js');
    explainFailure(host, new Set(others.flatMap(({ problems }) => problems)));
  }
  if (record !== undefined && (code !== 0 || recordAlways)) {
    const { writeFlight } = await import('./flight.js');
    const problem = await writeFlight(
      record,
      host,
      code === 0 ? 'nothing failed' : `the command ended with ${ended}`,
    );
    if (problem === undefined) note(`what ran is in ${record}; now: backlot open ${record}`);
    else {
      note(`error: ${problem}`);
      code = code === 0 ? 1 : code;
    }
  }
  if (junit === undefined) return code;
  try {
    await writeJUnit(junit, findings);
    return code;
  } catch (thrown) {
    note(`error: ${(thrown as Error).message}`);
    return code === 0 ? 1 : code;
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
  { env: further, proxy }: Pick<RunFlags, 'env' | 'proxy'>,
): Record<string, string> {
  const variables = {
    ...variablesOf(host, apiUrl),
    ...serviceVariablesOf(services, host),
    ...(token === undefined ? {} : { BACKLOT_API_TOKEN: token }),
    ...(toxiproxyUrl === undefined ? {} : { TOXIPROXY_URL: toxiproxyUrl }),
    ...ca?.variables,
    ...(proxy && ca !== undefined ? proxyVariables(host, ca) : {}),
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
