import type { Clock } from '@backlot/core/plugin';

/** Bytes of arguments that a line shows at most. */
const MAX_SHOWN = 16 * 1024;
/** Arguments that a line shows at most. */
const MAX_ARGS = 1024;
/** Most clients that monitor at a time. */
const MAX_MONITORS = 64;
const HIDDEN = new Set(['auth', 'hello', 'monitor', 'quit']);
const ESCAPES = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
]);

/** A client whose commands are seen, or who sees them. */
export interface Watched {
  readonly remote: string;
  readonly database: { readonly index: number };
  readonly line: { push(message: string): void };
}

/** Who sees all commands (redis.io, command page of MONITOR). */
export class Monitors {
  readonly #clock: Clock;
  readonly #sessions = new Set<Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether somebody sees commands: {@link tell} is to be called. */
  get isOn(): boolean {
    return this.#sessions.size > 0;
  }

  /** Whether there was room for one more. */
  add(session: Watched): boolean {
    if (this.#sessions.size >= MAX_MONITORS) return this.#sessions.has(session);
    this.#sessions.add(session);
    return true;
  }

  delete(session: Watched): void {
    this.#sessions.delete(session);
  }

  /** Shows a command; such as hold passwords are left out. */
  tell({ database, remote }: Watched, args: readonly string[]): void {
    if (HIDDEN.has((args[0] ?? '').slice(0, 8).toLowerCase())) return;
    const now = this.#clock.now();
    const time = `${Math.floor(now / 1000)}.${String(Math.floor((now % 1000) * 1000)).padStart(6, '0')}`;
    const line = `+${time} [${database.index} ${remote}] ${show(args)}\r\n`;
    for (const session of this.#sessions) session.line.push(line);
  }
}

/** Passwords are among the rules of users. */
function hideRules(args: readonly string[]): readonly string[] {
  const isSecret =
    args[0]?.length === 3 && args[0].toLowerCase() === 'acl' && args[1]?.toLowerCase() === 'setuser';
  return isSecret ? args.map((arg, index) => (index < 2 ? arg : '(redacted)')) : args;
}

function show(given: readonly string[]): string {
  const args = hideRules(given);
  const shown: string[] = [];
  let left = MAX_SHOWN;
  for (const arg of args.slice(0, MAX_ARGS)) {
    if (left <= 0) break;
    shown.push(quote(arg.slice(0, left)));
    left -= arg.length;
  }
  return shown.join(' ');
}

function quote(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~]/g, (char) => ESCAPES.get(char) ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}
