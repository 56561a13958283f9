import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import { isSecretName, patternOf, REDACTED, redactStringSteps, redactText } from '@backlot/kit/upstream';
import { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { Item } from '../store/item.js';
import { fromWire, toWire } from '../wire/latin.js';

/** What a recording of a command is for. */
export interface CommandMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

/** Makes what a recorded mock asks of a command. */
export function matchOf({ method, path }: MemcachedMessage): CommandMatch {
  const patterns: string[] = [];
  const key = patternOf('key', '', path, (place, rule) => patterns.push(`${place}: ${rule}`));
  const match = { command: method, key };
  return { key: JSON.stringify(match), name: `${method} ${redactText(path)}`.trim(), match, patterns };
}

/** The command as the journal keeps it. */
export function withoutSecrets(message: MemcachedMessage): MemcachedMessage {
  const { method, key, remote, value, flags, exptime, delta, metaFlags } = message;
  const kept = new MemcachedMessage(method, redacted(key, false), remote);
  if (value !== undefined) kept.carry(redacted(value, isSecretName(message.path)));
  return Object.assign(kept, { flags, exptime, delta, metaFlags });
}

/** A text without its secrets, and bytes as they are; one character per byte. */
function redacted(wire: string, isSecret: boolean): string {
  if (isSecret) return wire === '' ? '' : REDACTED;
  if (!isText(wire)) return wire;
  return toWire(runAtOnce(redactStringSteps(fromWire(wire))));
}

/** Whether bytes are UTF-8; one character per byte. */
export function isText(wire: string): boolean {
  return isUtf8(Buffer.from(wire, 'latin1'));
}

/** An answer without its secrets, as far as it is kept. */
export function redactedOf(message: MemcachedMessage, { code, item, lines, word, error }: Result): Result {
  const isSecret = isSecretName(message.path);
  return {
    code,
    ...(item && { item: new Item(item.key, redacted(item.value, isSecret), item.flags) }),
    ...(lines && { lines: lines.map(([name, value]) => [name, redacted(value, isSecretName(name))]) }),
    ...(word !== undefined && { word: redacted(word, false) }),
    ...(error && { error: { ...error, text: redacted(error.text, false) } }),
  };
}
