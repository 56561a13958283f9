import { createHost, type Host, type Json } from '@backlot/core';
import { runTool, type ToolResult } from '@backlot/conformance';
import { snmp } from '../src/index.js';

/** What to close after a test. */
export const cleanups: (() => unknown)[] = [];

/** Closes what a test opened, the last first. */
export async function cleanUp(): Promise<void> {
  for (const close of cleanups.splice(0).reverse()) await close();
}

/** A started host with these settings of the kind: with the mocks alone, unless they say otherwise. */
export async function startHost(settings: Json = {}): Promise<Host> {
  const host = await createHost({
    protocols: [snmp],
    settings: { snmp: { host: '127.0.0.1', port: 0, system: false, ...settings } },
    seed: 1,
  });
  cleanups.push(() => host.stop(0));
  await host.start();
  return host;
}

/** Where a host listens. */
export function portOf(host: Host): number {
  return host.kind('snmp').address?.port ?? 0;
}

/** Settings that net-snmp's tools would read from files of this machine. */
const NO_FILES = { SNMPCONFPATH: '/nonexistent', MIBS: '', SNMP_PERSISTENT_DIR: '/nonexistent' };

/** Runs one of net-snmp's tools against a host: `words` are its options, `oids` what follows the address. */
export function run(
  tool: string,
  host: Host,
  words: readonly string[],
  oids: readonly string[],
): Promise<ToolResult> {
  return runAt(tool, portOf(host), words, oids);
}

/** Runs one of net-snmp's tools against an agent at a port, as {@link run} does. */
export function runAt(
  tool: string,
  port: number,
  words: readonly string[],
  oids: readonly string[],
): Promise<ToolResult> {
  const args = ['-On', '-t', '5', '-r', '0', ...words, `127.0.0.1:${port}`, ...oids];
  return runTool(tool, args, { env: NO_FILES });
}

/** The lines of a text, without the last line break. */
export function linesOf(text: string): string[] {
  return text.trimEnd().split('\n');
}
