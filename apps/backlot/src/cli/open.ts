import type { FlightHeader, FlightLine } from '@backlot/exports';
import { isBacklotError, type Json } from '@backlot/core';
import { flightTools } from '../exports/tools.js';
import { loadPlugins } from '../plugins/installed.js';
import { planServer } from '../server/plan.js';
import { startServer, type RunningServer } from '../server/start-server.js';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { stopWithNpx } from './npx.js';
import { note, print, sayWhenUnread } from './output.js';
import { describeServer, readyLine } from './server-lines.js';
import { logLines } from './server-log.js';
import { keepLiving, stopOnSignals } from './signals.js';
import { startRecorded } from './start-recorded.js';

/** The flags of `backlot open`. */
export interface OpenFlags {
  readonly apiPort?: number;
  readonly plugin?: readonly string[];
}

/** `backlot open FILE`: a server with what a recording has, at the time at which it was made. The file stays as it is. */
export async function open(file: string, { apiPort, plugin = [] }: OpenFlags): Promise<void> {
  const { restoreFlight } = await flightTools();
  // All of it is read before anything starts: nothing is shown of a file that is damaged.
  const { header, configuration } = await readWhole(file);
  const recorded = new Set(header.kinds.map(({ kind }) => kind));
  const packages = plugin.map((name) => ({ name, from: process.cwd() }));
  const plugins = await loadPlugins(packages, (kind) => recorded.has(kind));
  const protocols = plugins.map(({ protocol }) => protocol);
  const known = new Set(protocols.map(({ kind }) => kind));
  const missing = header.kinds.filter(({ kind }) => !known.has(kind));
  for (const { kind } of missing)
    note(`notice: ${kind} is not installed; its messages are in the log all the same`);
  const log = logLines(true);
  const stopping = stopOnSignals(plugins.some(({ isBuiltIn }) => !isBuiltIn));
  stopWithNpx();
  sayWhenUnread();
  keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
  await stopping.ready;
  const { server, dropped } = await startRecorded(withoutMissing(configuration, known), (settings) => {
    const plan = planServer(settings, protocols, {
      host: 'localhost',
      freePorts: true,
      seed: header.seed,
      apiPort,
    });
    return startServer({ plan, protocols, version: readVersion(), log });
  });
  stopping.setServer(server);
  let left: readonly string[];
  try {
    left = await restoreFlight(server.host, header, linesOf(file));
  } catch (thrown) {
    await server.stop();
    throw asCommandError(file, thrown);
  }
  for (const text of [...dropped, ...left]) note(`notice: ${text}`);
  announce(file, header, server);
}

function announce(file: string, header: FlightHeader, server: RunningServer): void {
  const { host } = server;
  print(`${file}: ${header.reason}, at ${header.clock.now}, by Backlot ${header.backlot}`);
  const entries = host.journal.count().count;
  print(
    `  ${entries} log entries; seed ${header.seed}; the clock stands still ("backlot clock go" lets it go on)`,
  );
  if (!header.has_secrets) print('  where secrets stood stands REDACTED');
  for (const line of describeServer(server, [])) print(`  ${line}`);
  print(`page: ${server.apiUrl}/`);
  print(readyLine(server, []));
}

/** A configuration without the kinds that are not installed. */
function withoutMissing(configuration: Json, known: ReadonlySet<string>): Json {
  const blocks = Object.entries((configuration['protocols'] ?? {}) as Json);
  return { ...configuration, protocols: Object.fromEntries(blocks.filter(([kind]) => known.has(kind))) };
}

async function readWhole(
  file: string,
): Promise<{ readonly header: FlightHeader; readonly configuration: Json }> {
  const { ConfigurationParts, readFlight } = await flightTools();
  const parts = new ConfigurationParts();
  let header: FlightHeader | undefined;
  try {
    for await (const read of readFlight(file)) {
      if ('header' in read) ({ header } = read);
      else parts.add(read.line);
    }
  } catch (thrown) {
    throw asCommandError(file, thrown);
  }
  if (header === undefined) throw new CommandError(`${file}: it is no recording of Backlot`);
  return { header, configuration: parts.value };
}

async function* linesOf(file: string): AsyncGenerator<FlightLine, void, undefined> {
  const { readFlight } = await flightTools();
  for await (const read of readFlight(file)) if ('line' in read) yield read.line;
}

function asCommandError(file: string, thrown: unknown): unknown {
  if (isBacklotError(thrown)) return new CommandError(`${file}: ${thrown.message}`);
  const { code, message, syscall } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`there is no file "${file}"`);
  return syscall === undefined ? thrown : new CommandError(`cannot read ${file}: ${message}`);
}
