import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runCommand } from '../command.js';

/** Something that a server of a page listens with. */
export interface Listener {
  /** The kind; `api` is the management API. */
  readonly name: string;
  /** The port by which the page calls it. */
  readonly shown: string;
  /** Whether the server of the page starts it. */
  readonly isStarted: boolean;
}

/** The parts of a configuration that say what listens where. */
interface Ports {
  readonly api?: { readonly port?: number };
  readonly plugins?: readonly string[];
  readonly services?: readonly string[] | Readonly<Record<string, { readonly port?: number } | null>>;
  readonly protocols?: Readonly<
    Record<string, { readonly port?: number; readonly enabled?: boolean; readonly share?: string } | null>
  >;
}

const API_PORT = 9091;

/**
 * What `backlot start` with these arguments would listen with, in that folder. A page names ports as its readers do, by
 * flags, by its file or by saying nothing; none of them may be needed for its commands to be tried.
 */
export async function listListeners(args: readonly string[], cwd: string): Promise<Listener[]> {
  const flags = readFlags(args);
  const file = readFile(flags.get('config')?.[0] ?? flags.get('c')?.[0], cwd);
  const plugins = [...(file?.plugins ?? []), ...(flags.get('plugin') ?? [])];
  const known = await listKinds(plugins, cwd);
  const services = await listServices(file, flags, cwd);
  const only = flags.get('only')?.[0]?.split(',');
  const isStarted = (kind: string): boolean =>
    only?.includes(kind) ??
    ((kind === 'http' && services.length > 0) ||
      (file === undefined && services.length === 0) ||
      (file?.protocols?.[kind] !== undefined &&
        file.protocols[kind]?.enabled !== false &&
        file.protocols[kind]?.share === undefined));
  const portOf = (name: string, port: number): string => flags.get(`${name}-port`)?.[0] ?? String(port);
  return [
    { name: 'api', shown: portOf('api', file?.api?.port ?? API_PORT), isStarted: true },
    ...known.map(({ protocol, default_port }) => ({
      name: protocol,
      shown: portOf(protocol, file?.protocols?.[protocol]?.port ?? default_port),
      isStarted: isStarted(protocol),
    })),
    ...services,
  ];
}

interface KnownKind {
  readonly protocol: string;
  readonly default_port: number;
}

/** The kinds that come along are asked for once: they are the same for each page. */
let installed: Promise<readonly KnownKind[]> | undefined;

function listKinds(plugins: readonly string[], cwd: string): Promise<readonly KnownKind[]> {
  if (plugins.length === 0) return (installed ??= askForKinds([], cwd));
  return askForKinds(plugins, cwd);
}

async function askForKinds(plugins: readonly string[], cwd: string): Promise<readonly KnownKind[]> {
  const flags = plugins.map((name) => `--plugin=${name}`);
  return (await askCommand(['plugins', '--json', ...flags], cwd)) as readonly KnownKind[];
}

/** What a command prints as JSON; an error that says what it said otherwise. */
async function askCommand(args: readonly string[], cwd: string): Promise<unknown> {
  const { code, stdout, stderr } = await runCommand(args, { cwd });
  if (code !== 0) throw new Error(`backlot ${args.join(' ')} ended with ${String(code)}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** The services of a file and of flags that have a port of their own. */
async function listServices(
  file: Ports | undefined,
  flags: ReadonlyMap<string, readonly string[]>,
  cwd: string,
): Promise<Listener[]> {
  const block = file?.services ?? [];
  const settings = new Map(
    Array.isArray(block) ? block.map((name: string) => [name, null] as const) : Object.entries(block),
  );
  for (const name of flags.get('service') ?? []) settings.set(name, null);
  if (settings.size === 0) return [];
  const answer = await askCommand(['services', '--json'], cwd);
  const known = answer as readonly { name: string; port?: number }[];
  return known.flatMap(({ name, port }) => {
    const own = settings.get(name)?.port ?? port;
    if (!settings.has(name) || own === undefined) return [];
    return [{ name, shown: flags.get(`${name}-port`)?.[0] ?? String(own), isStarted: true }];
  });
}

/** The values of flags by their names without dashes. */
function readFlags(args: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const flags = new Map<string, string[]>();
  args.forEach((arg, index) => {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/.exec(arg) ?? [];
    if (name !== undefined) flags.set(name, [...(flags.get(name) ?? []), value ?? args[index + 1] ?? '']);
  });
  return flags;
}

function readFile(named: string | undefined, cwd: string): Ports | undefined {
  const file = [named, 'backlot.yaml', 'mockly.yaml'].find(
    (name) => name !== undefined && existsSync(join(cwd, name)),
  );
  if (file === undefined) return undefined;
  const whole = parse(readFileSync(join(cwd, file), 'utf8')) as Ports & { readonly mockly?: Ports };
  return { ...whole.mockly, ...whole };
}

/** The flags by which each of them takes a free port; they stand behind those of the page and win. */
export function portFlags(listeners: readonly Listener[]): string[] {
  return listeners.filter(({ isStarted }) => isStarted).map(({ name }) => `--${name}-port=0`);
}

/** A listener of a running server. */
export interface RealPort {
  readonly name: string;
  readonly shown: string;
  readonly real: string;
}

/** The real ports of a server that was started with those flags. */
export function realPorts(
  listeners: readonly Listener[],
  urls: Readonly<Record<string, string>>,
): readonly RealPort[] {
  return listeners.flatMap(({ name, shown }) => {
    const real = /:(\d+)(?:\/|$)/.exec(urls[name] ?? '')?.[1];
    return real === undefined ? [] : [{ name, shown, real }];
  });
}

/** A command of a page as it is run: with the real ports, those included that the scheme of a URL stands for. */
export function withPorts(command: string, ports: readonly RealPort[]): string {
  return command
    .replaceAll(/\b\d{4,5}\b/g, (number) => ports.find(({ shown }) => shown === number)?.real ?? number)
    .replaceAll(/\b(\w+):\/\/localhost\b(?!:)/g, (url, scheme: string) => {
      const found = ports.find(({ name }) => name === scheme);
      return found === undefined ? url : `${url}:${found.real}`;
    });
}

/** What a command has printed, as its page shows it. */
export function withShownPorts(output: string, ports: readonly RealPort[]): string {
  return ports.reduce(
    (text, { shown, real }) => text.replaceAll(new RegExp(`\\b${real}\\b`, 'g'), shown),
    output,
  );
}
