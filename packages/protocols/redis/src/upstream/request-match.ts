import { runAtOnce } from '@backlot/core/plugin';
import {
  isSecretName,
  patternOf,
  REDACTED,
  redactStringSteps,
  redactText,
  type PatternNote,
} from '@backlot/kit/upstream';
import type { Args, Command } from '../commands/command.js';
import { keyPlace } from '../commands/table.js';
import { RedisMessage } from '../message.js';
import { fromWire, toWire } from '../wire/text.js';

/** Which requests a recording is for. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  /** The fields of the mock. */
  readonly match: Readonly<Record<string, unknown>>;
  /** What became a pattern, and by which rule. */
  readonly patterns: readonly string[];
}

/** A request with what is secret in it. */
export interface KnownRequest {
  readonly args: Args;
  readonly command: Command | undefined;
  readonly message: RedisMessage;
  /** The places of the arguments that are secrets as a whole. */
  readonly secrets: ReadonlySet<number>;
}

/** Requests with more arguments are not recorded. */
const MAX_ARGS = 1000;
/** A longer argument is not compared. */
const MAX_COMPARED = 64 * 1024;
const MAX_NOTES = 20;
/** Options and settings whose value is a secret, beside the names that say so. */
const SECRET_OPTIONS = /^(?:auth|requirepass|masterauth|auth-pass|tls-key-file-pass)$/i;

/** The places of secrets: passwords, and what stands behind a secret name. */
export function secretsIn(args: Args, command: Command | undefined): ReadonlySet<number> {
  const secrets = new Set<number>();
  const name = command?.name ?? (args[0] ?? '').toLowerCase();
  if (name === 'auth') secrets.add(args.length - 1);
  const isKey = keysOf(args, command);
  for (let place = 1; place < args.length; place += 1) {
    const arg = args[place] ?? '';
    if (name === 'acl|setuser' && /^[<>#!]/.test(arg)) secrets.add(place);
    // Behind the name of the user, where that is given.
    if (arg.toLowerCase() === 'auth2' || (name === 'hello' && arg.toLowerCase() === 'auth'))
      secrets.add(place + 2);
    else if (place + 1 < args.length && !isKey(place + 1))
      if (SECRET_OPTIONS.test(arg) || (arg.length < 200 && isSecretName(fromWire(arg))))
        secrets.add(place + 1);
  }
  return secrets;
}

/** Which arguments are keys. */
function keysOf(args: Args, command: Command | undefined): (place: number) => boolean {
  const [first, last, step] = command?.keys ?? [0, 0, 0];
  if (first <= 0) return () => false;
  const end = last < 0 ? args.length + last : last;
  return (place) => place >= first && place <= end && (place - first) % Math.max(step, 1) === 0;
}

/** The request as the journal keeps it: without its secrets. */
export function withoutSecrets({ args, command, message, secrets }: KnownRequest): RedisMessage {
  const redacted = args.map((arg, place) => {
    if (secrets.has(place)) return REDACTED;
    return place === 0 || arg.length > 1024 * 1024
      ? arg
      : toWire(runAtOnce(redactStringSteps(fromWire(arg))));
  });
  return new RedisMessage(redacted, command, message.remote, message.database);
}

/** Makes what a recorded mock asks of a request; a text says why it can have none. */
export function matchOf({ args, command, message, secrets }: KnownRequest): RequestMatch | string {
  if (args.length > MAX_ARGS) return `it has more than ${MAX_ARGS} arguments`;
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => {
    if (patterns.length < MAX_NOTES) patterns.push(`${place}: ${rule}`);
  };
  const first = keyPlace(command, args);
  const valueOf = (place: number, shown: string, name: string, value: string): unknown => {
    if (!secrets.has(place) && value.length <= MAX_COMPARED) return patternOf(shown, name, value, note);
    note(shown, secrets.has(place) ? 'secret' : 'it is longer than 64 KiB and not compared');
    return { present: true };
  };
  const rest = Array.from({ length: message.argCount }, (_, index) =>
    valueOf(
      first + 1 + index,
      `argument ${index + 1}`,
      (index === 0 ? message.path : message.argAt(index - 1)) ?? '',
      message.argAt(index) ?? '',
    ),
  );
  const match = {
    command: message.method,
    ...(message.path === '' ? {} : { key: valueOf(first, 'key', '', message.path) }),
    // And no further argument.
    args: [...rest, { absent: true }],
  };
  return {
    key: JSON.stringify(match),
    name: `${message.method} ${redactText(message.path)}`,
    match,
    patterns,
  };
}

/** Whether what is answered is a secret, as a whole or at some places of a list, by the names that were asked for. */
export function asksForSecret({
  args,
  command,
  message,
}: KnownRequest): (place: number | undefined) => boolean {
  const isNamed = (text: string | undefined): boolean =>
    text !== undefined && text.length < 200 && isSecretName(text);
  if (message.access !== 'read') return () => false;
  const isKey = keysOf(args, command);
  const keys = args.filter((_, place) => isKey(place)).map(fromWire);
  if (keys.length > 1) return (place) => isNamed(keys[place ?? 0]);
  const isWhole = isNamed(message.path);
  return (place) => isWhole || isNamed(message.argAt(place ?? 0));
}
