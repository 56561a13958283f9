import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { watchForStandstill } from '@backlot/tooling/standstill';
import { BIN, makeFolder, startCommand, type StartedServer } from '../command.js';
import { ROOT, exampleOf, fits, type Page, type Step } from './page.js';
import { listListeners, portFlags, realPorts, withPorts, withShownPorts, type RealPort } from './ports.js';

/** What a process says when it waited for its turn while it worked, as on a busy machine; it may follow an answer without a line end. */
const STALL = /warning: [\w-]+: .* held the event loop for \d+ ms.*\n/g;
/** Milliseconds in which nothing moves until a command counts as one that never ends; the test of a page has longer. */
const PATIENCE = 50_000;

/**
 * Runs the commands of a page in order, in a folder of their own with a server of their own: the one that the page
 * starts, else that of its `<!-- file: backlot.yaml -->` block, else that of examples/shop. A page with such a block
 * may start another one later.
 *
 * @param done - told of each command that has ended, and how long it took
 * @returns what differed, a text for each command; nothing when the page is true
 */
export async function runPage(
  page: Page,
  done: (step: Step, milliseconds: number) => void = () => undefined,
): Promise<string[]> {
  const folder = makeFolder();
  const tools = makeFolder();
  const names = writeFiles(page, folder.path);
  const startsItself =
    page.steps.some(({ isStart }) => isStart) &&
    (page.steps[0]?.isStart === true || !names.includes('backlot.yaml'));
  if (!startsItself && !names.includes('backlot.yaml')) {
    cpSync(join(ROOT, 'examples/shop'), folder.path, { recursive: true });
    writeFiles(page, folder.path);
  }
  const script = join(tools.path, 'backlot');
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(script, 0o755);

  let server: StartedServer | undefined;
  let ports: readonly RealPort[] = [];
  const start = async (args: readonly string[]): Promise<StartedServer> => {
    const listeners = await listListeners(args, folder.path);
    await server?.stop();
    server = await startCommand([...args, ...portFlags(listeners)], { cwd: folder.path });
    ports = realPorts(listeners, server.urls);
    return server;
  };
  // Where it is not there yet, the first of Net-SNMP's commands on a machine says that it made it.
  mkdirSync(join(tools.path, 'snmp/cert_indexes'), { recursive: true });
  const env = (): NodeJS.ProcessEnv => ({
    ...process.env,
    NODE_OPTIONS: '',
    SNMP_PERSISTENT_DIR: join(tools.path, 'snmp'),
    PATH: `${tools.path}${delimiter}${process.env['PATH'] ?? ''}`,
    ...(server === undefined ? {} : { BACKLOT_URL: server.urls['api'] ?? '' }),
  });
  const take = async ({ command, isStart }: Step): Promise<string> => {
    if (!isStart) return runShell(withPorts(command, ports), folder.path, env());
    placeExample(page, folder.path);
    const started = await start(command.split(' ').slice(2));
    return started.errors() + started.output();
  };
  try {
    if (!startsItself) await start([]);
    const differences: string[] = [];
    for (const step of page.steps) {
      const { command, expected, line } = step;
      const begun = performance.now();
      const output = withShownPorts(await take(step), ports);
      done(step, performance.now() - begun);
      if (!fits(output, expected)) {
        differences.push(`${page.path}:${line}\n$ ${command}\nexpected:\n${expected}\ngot:\n${output}`);
      }
    }
    return differences;
  } finally {
    await server?.stop();
    folder.remove();
    tools.remove();
  }
}

/** Writes the `file:` blocks of a page into a folder. Gives their names. */
export function writeFiles(page: Page, folder: string): string[] {
  return page.blocks.flatMap((block) => {
    const name = /^file: (.*)$/.exec(block.marker ?? '')?.[1];
    if (name === undefined) return [];
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `${block.content}\n`);
    return [name];
  });
}

/** Puts the folder that a page's server is started with where the page has made one of its name. */
export function placeExample(page: Page, folder: string): void {
  const example = exampleOf(page);
  if (example === undefined) return;
  const place = join(folder, basename(example));
  rmSync(place, { recursive: true, force: true });
  symlinkSync(join(ROOT, example), place, 'junction');
}

function runShell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const stopWatch = watchForStandstill(PATIENCE, (problem) => {
    output += `\n(did not end: ${problem})`;
    child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      stopWatch();
      resolve(output.replaceAll(STALL, ''));
    });
  });
}
