import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { BIN, FREE_PORTS, makeFolder, runCommand, startCommand } from '../command.js';
import { ROOT, fits, type Page } from './page.js';

const PATIENCE = 10_000;

/**
 * Runs the commands of a page in order, in a folder of their own with a server of their own: that of the page's
 * `<!-- file: backlot.yaml -->` block, else that of examples/shop.
 *
 * @returns what differed, a text for each command; nothing when the page is true
 */
export async function runPage(page: Page): Promise<string[]> {
  const folder = makeFolder();
  const tools = makeFolder();
  const names = writeFiles(page, folder.path);
  if (!names.includes('backlot.yaml')) {
    cpSync(join(ROOT, 'examples/shop'), folder.path, { recursive: true });
    writeFiles(page, folder.path);
  }
  const script = join(tools.path, 'backlot');
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(script, 0o755);

  const server = await startCommand(FREE_PORTS, { cwd: folder.path });
  try {
    const ports = new Map(
      (await listPorts()).map(([name, shown]) => [shown, portOf(server.urls[name] ?? '') ?? shown]),
    );
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PATH: `${tools.path}${delimiter}${process.env['PATH'] ?? ''}`,
      BACKLOT_URL: server.urls['api'] ?? '',
    };
    const differences: string[] = [];
    for (const { command, expected, line } of page.steps) {
      const given = await runShell(withPorts(command, ports), folder.path, env);
      const output = withShownPorts(given, ports);
      if (!fits(output, expected)) {
        differences.push(`${page.path}:${line}\n$ ${command}\nexpected:\n${expected}\ngot:\n${output}`);
      }
    }
    return differences;
  } finally {
    await server.stop();
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

/** The ports that pages name, by the name of the listener. */
async function listPorts(): Promise<[string, string][]> {
  const { stdout } = await runCommand(['plugins', '--json']);
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
