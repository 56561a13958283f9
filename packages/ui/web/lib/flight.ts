import { signal } from '@preact/signals';
import { go } from './address.js';
import { rowOf, type Entry, type Row } from './entries.js';

/** The format that this page reads, and its newest version; see the flight recorder. */
const FORMAT = 'backlot-flight';
const VERSION = 1;
/** Unpacked it may have so many characters: a small file can say that it is very long. */
const MOST = 512 * 1024 * 1024;

/** What the first line of a recording says. */
interface Header {
  readonly version: number;
  readonly backlot: string;
  readonly reason: string;
  readonly seed: number;
  readonly clock: { readonly now: string };
  readonly has_secrets: boolean;
  readonly kinds: readonly { readonly kind: string; readonly title: string; readonly url?: string }[];
}

/** A recording that was opened. */
export interface Flight {
  readonly name: string;
  readonly header: Header;
  readonly rows: readonly Row[];
  /** By the id of its row. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** What ran, as a configuration. */
  readonly configuration: unknown;
  /** What ran and is not in it, a sentence each. */
  readonly leftOut: readonly string[];
}

/** The recording that is shown. */
export const flight = signal<Flight | undefined>(undefined);

/** Whether a file has the name of a recording. */
export function isFlight({ name }: File): boolean {
  return name.endsWith('.flight.gz') || name.endsWith('.flight');
}

/** Opens a recording and shows it. It stays in the browser: no server is asked. @throws Error for what is none, or is damaged */
export async function openFlight(file: File): Promise<void> {
  flight.value = await readFlight(file);
  go('flight');
}

async function readFlight(file: File): Promise<Flight> {
  const text = await unpacked(file);
  const [first = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const header = parsed(first);
  if (header?.['format'] !== FORMAT)
    throw new Error(`${file.name} is no recording of Backlot, as "backlot save" writes them`);
  if (Number(header['version']) > VERSION)
    throw new Error(
      `${file.name} has version ${String(header['version'])} of the format, and this page reads versions up to ${VERSION}; open it with a newer Backlot`,
    );
  const rows: Row[] = [];
  const entries = new Map<string, Entry>();
  const leftOut: string[] = [];
  const configuration = {};
  let end: unknown;
  for (const [index, each] of lines.entries()) {
    const line = parsed(each);
    if (line === undefined) throw new Error(`${file.name} is damaged: its line ${index + 2} is no JSON`);
    if ('entry' in line) {
      const entry = line['entry'] as Entry;
      entries.set(entry.id, entry);
      rows.push(rowOf(entry, rows.length, false));
    } else if ('at' in line) place(configuration, line);
    else if ('left_out' in line) leftOut.push(String(line['left_out']));
    else if ('end' in line) ({ end } = line);
  }
  if (end !== lines.length)
    throw new Error(`${file.name} is damaged: it was not written to its end, or lines are missing`);
  return { name: file.name, header: header as unknown as Header, rows, entries, configuration, leftOut };
}

async function unpacked(file: File): Promise<string> {
  const reader = file
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))
    .getReader();
  const pieces: string[] = [];
  let length = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces.push(read.value);
      length += read.value.length;
      if (length > MOST) break;
    }
  } catch {
    throw new Error(`${file.name} is no recording of Backlot, or is damaged: it cannot be unpacked`);
  }
  if (length > MOST) {
    await reader.cancel();
    throw new Error(`${file.name} is too long for a browser; "backlot open" starts a server from it`);
  }
  return pieces.join('');
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Puts a part of a configuration in its place: a value, or one more of the list there. */
function place(configuration: Record<string, unknown>, line: Readonly<Record<string, unknown>>): void {
  const at = line['at'] as readonly string[];
  let within: Record<string, unknown> = configuration;
  for (const name of at.slice(0, -1)) {
    const there = Object.hasOwn(within, name) ? within[name] : undefined;
    const next = typeof there === 'object' && there !== null ? there : {};
    set(within, name, next);
    within = next as Record<string, unknown>;
  }
  const last = at.at(-1) ?? '';
  const list = Object.hasOwn(within, last) ? within[last] : undefined;
  if ('item' in line && Array.isArray(list)) {
    list.push(line['item']);
    return;
  }
  set(within, last, 'item' in line ? [line['item']] : line['value']);
}

/** A name such as `__proto__` is one of a mapping, and nothing else. */
function set(within: object, name: string, value: unknown): void {
  Object.defineProperty(within, name, { value, enumerable: true, configurable: true, writable: true });
}
