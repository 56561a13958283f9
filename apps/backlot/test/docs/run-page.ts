import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { BIN, FREE_PORTS, makeFolder, runCommand, startCommand, type StartedServer } from '../command.js';
import { ROOT, exampleOf, fits, type Page, type Step } from './page.js';

const PATIENCE = 10_000;

/**
 * Runs the commands of a page in order, in a folder of their own with a server of their own: the one that the page
 * starts, else that of its `<!-- file: backlot.yaml -->` block, else that of examples/shop.
 *
 * @returns what differed, a text for each command; nothing when the page is true
 */
export async function runPage(page: Page): Promise<string[]> {
  const folder = makeFolder();
  const tools = makeFolder();
  const names = writeFiles(page, folder.path);
  const startsItself = page.steps.some(({ isStart }) => isStart);
  if (!startsItself && !names.includes('backlot.yaml')) {
    cpSync(join(ROOT, 'examples/shop'), folder.path, { recursive: true });
    writeFiles(page, folder.path);
  }
  const script = join(tools.path, 'backlot');
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(script, 0o755);

  let server = startsItself ? undefined : await startCommand(FREE_PORTS, { cwd: folder.path });
  let ports = await mapPorts(server, [], folder.path);
  const env = (): NodeJS.ProcessEnv => ({
    ...process.env,
    NODE_OPTIONS: '',
    PATH: `${tools.path}${delimiter}${process.env['PATH'] ?? ''}`,
    ...(server === undefined ? {} : { BACKLOT_URL: server.urls['api'] ?? '' }),
  });
  const take = async ({ command, isStart }: Step): Promise<string> => {
    if (!isStart) return runShell(withPorts(command, ports), folder.path, env());
    placeExample(page, folder.path);
    const args = command.split(' ').slice(2);
    await server?.stop();
    server = await startCommand([...args.map(withFreePort), '--api-port=0'], { cwd: folder.path });
    ports = await mapPorts(server, args, folder.path);
    return server.errors() + server.output();
  };
  try {
    const differences: string[] = [];
    for (const step of page.steps) {
      const { command, expected, line } = step;
      const output = withShownPorts(await take(step), ports);
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

function withFreePort(arg: string, index: number, args: readonly string[]): string {
  return /-port$/.test(args[index - 1] ?? '') ? '0' : arg;
}

/** The real ports of a server by those that its page names. */
async function mapPorts(
  server: StartedServer | undefined,
  args: readonly string[],
  cwd: string,
): Promise<ReadonlyMap<string, string>> {
  const plugins = args.flatMap((arg, index) => (args[index - 1] === '--plugin' ? ['--plugin', arg] : []));
  const shown = await listPorts(plugins, cwd);
  return new Map(shown.map(([name, port]) => [port, portOf(server?.urls[name] ?? '') ?? port]));
}

/** The ports that pages name, by the name of the listener. */
async function listPorts(further: readonly string[], cwd: string): Promise<[string, string][]> {
  const { stdout } = await runCommand(['plugins', '--json', ...further], { cwd });
  const plugins = JSON.parse(stdout) as readonly { protocol: string; default_port: number }[];
  return [
    ['api', '9091'],
    ...plugins.map((each): [string, string] => [each.protocol, String(each.default_port)]),
  ];
}

function portOf(url: string): string | undefined {
  return /:(\d+)(?:\/|$)/.exec(url)?.[1];
}

function withPorts(command: string, ports: ReadonlyMap<string, string>): string {
  return command.replaceAll(/\b\d{4,5}\b/g, (number) => ports.get(number) ?? number);
}

function withShownPorts(output: string, ports: ReadonlyMap<string, string>): string {
  let shown = output;
  for (const [port, real] of ports) shown = shown.replaceAll(new RegExp(`\\b${real}\\b`, 'g'), port);
  return shown;
}

function runShell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const timer = setTimeout(() => {
    output += `\n(still running after ${PATIENCE} ms)`;
    child.kill('SIGKILL');
  }, PATIENCE);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
