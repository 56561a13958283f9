import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { CommandError } from './command-error.js';
import type { TrafficFormat } from './traffic-log.js';

/** What the commands that start a server have in common. */
export interface ServerFlags {
  /** Files and folders. */
  readonly config?: readonly string[];
  /** Settings over those of the files. */
  readonly set?: readonly string[];
  readonly host?: string;
  readonly apiPort?: number;
  readonly toxiproxyPort?: number;
  readonly only?: readonly string[];
  readonly plugin?: readonly string[];
  readonly service?: readonly string[];
  readonly seed?: number;
  /** The file with the token of the management API. */
  readonly tokenFile?: string;
  /** False when the page is not wanted. */
  readonly ui?: boolean;
  /** Ports by kind. */
  readonly ports: ReadonlyMap<string, number>;
}

const PORT_FLAG = /^--([a-z][a-z0-9-]*)-port(?:=.*)?$/;
/** Flags of that form that are of no kind. */
const OTHER_PORTS: readonly string[] = ['api', 'toxiproxy', 'hand-over'];

/** Adds `-c`, `--set`, `--only`, `--plugin`, `--service`, `--seed` and `--token-file`. */
export function addConfigOptions(command: Command): Command {
  return command
    .option(
      '-c, --config <file>',
      'configuration file, or a folder of them; may be given more than once (default: BACKLOT_CONFIG, else backlot.yaml, else mockly.yaml)',
      readFurther,
    )
    .option(
      '--set <path=value>',
      'a setting over those of the files, as in protocols.http.port=0; may be given more than once',
      readFurther,
    )
    .option('--only <protocols>', 'start only these, as in http,dns', readList)
    .option(
      '--plugin <package>',
      'a package with a further protocol; may be given more than once',
      readFurther,
    )
    .option('--service <name>', 'a service to mock, such as stripe; may be given more than once', readFurther)
    .option('--seed <number>', 'make everything random the same in every run', readInteger)
    .option(
      '--token-file <file>',
      'a file with the token that the management API asks for (default: BACKLOT_API_TOKEN_FILE)',
    );
}

/**
 * Adds `--host`, `--api-port` and a `--<kind>-port` for each installed kind. A kind that a plugin brings is not known
 * yet, so such a flag is taken as it stands in the arguments and checked later.
 */
export function addPortOptions(command: Command, args: readonly string[]): Command {
  command
    .option('--host <address>', 'where everything listens (default: localhost)')
    .option('--api-port <port>', 'port of the management API (default: 9091)', readPort)
    .option('--toxiproxy-port <port>', "port of Toxiproxy's API, such as 8474 (default: none)", readPort)
    .option('--no-ui', 'without the page at the root of that port');
  const kinds = new Set<string>(INSTALLED_PROTOCOLS.map(({ kind }) => kind));
  for (const arg of args) {
    const kind = PORT_FLAG.exec(arg)?.[1];
    if (kind !== undefined && !OTHER_PORTS.includes(kind)) kinds.add(kind);
  }
  command.optionsGroup('Ports (0 takes a free one):');
  for (const kind of kinds) command.option(`--${kind}-port <port>`, `port of ${kind}`, readPort);
  return command;
}

/** Sorts what commander has parsed. */
export function readServerFlags(
  options: Readonly<Record<string, unknown>>,
  args: readonly string[],
): ServerFlags {
  const ports = new Map<string, number>();
  const kinds = new Set<string>(INSTALLED_PROTOCOLS.map(({ kind }) => kind));
  for (const arg of args) {
    const kind = PORT_FLAG.exec(arg)?.[1];
    if (kind !== undefined && !OTHER_PORTS.includes(kind)) kinds.add(kind);
  }
  for (const kind of kinds) {
    const port = options[`${camelCase(kind)}Port`];
    if (typeof port === 'number') ports.set(kind, port);
  }
  return { ...(options as Omit<ServerFlags, 'ports'>), ports };
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Reads a further name for a variable, as in `KAFKA=KAFKA_BROKERS`.
 *
 * @throws CommandError when a text is no such pair
 */
export function readVariable(
  text: string,
  before: readonly (readonly [string, string])[] | undefined,
): (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) {
    throw new CommandError(
      `"${text}" is not a further name for a variable; write NAME=OWN_NAME, as in KAFKA=MY_BROKERS`,
    );
  }
  return [...(before ?? []), [text.slice(0, at), text.slice(at + 1)]];
}

/**
 * How the traffic is shown.
 *
 * @throws CommandError for a format that there is not
 */
export function readLogFormat(format: string): TrafficFormat {
  if (format === 'text' || format === 'json' || format === 'none') return format;
  throw new CommandError(`--log is "${format}"; it must be text, json or none`);
}

/** Reads an option that may be given more than once. */
export function readFurther(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Reads names that commas part. */
export function readList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** @throws CommandError when a text is no port */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new CommandError(`"${text}" is not a port; give a whole number from 0 (a free one) to 65535`);
}

/** How many processes there may be. */
const MOST_WORKERS = 256;

/** Reads how many processes serve the same ports. @throws CommandError when a text is no such number */
export function readWorkers(text: string): number {
  if (text === 'auto') return availableParallelism();
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MOST_WORKERS) return value;
  throw new CommandError(
    `"${text}" is no number of workers; give a whole number from 1 to ${MOST_WORKERS}, or auto for one for each processor`,
  );
}

/** @throws CommandError when a text is no whole number */
export function readInteger(text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new CommandError(`"${text}" is not a whole number`);
}
