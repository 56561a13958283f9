import { FIELDS, type DialectName } from './fields.js';

/** What a message says in the terms of its dialect. */
export interface Unit {
  readonly dialect: DialectName;
  /** The namespace or topic; empty where there are none. */
  readonly room: string;
  /** The event or target; empty when the client enters. */
  readonly name: string;
  /** A list of arguments, or the payload. */
  readonly content: unknown;
  /** All of it by the names that mocks use. */
  readonly terms: Readonly<Record<string, unknown>>;
}

/** A message that a client sent. */
export function unitOf(dialect: DialectName, room: string, name: string, content: unknown): Unit {
  const names = FIELDS[dialect];
  return {
    dialect,
    room,
    name,
    content,
    terms: {
      ...(names.room === undefined ? {} : { [names.room]: room }),
      [names.name]: name,
      [names.content]: content,
    },
  };
}

/** What a client sent as it entered. @param term - what that is called, such as `auth` */
export function entryOf(dialect: DialectName, room: string, term: string, content: unknown): Unit {
  const { room: named } = FIELDS[dialect];
  const terms = {
    ...(named === undefined ? {} : { [named]: room }),
    ...(content === undefined ? {} : { [term]: content }),
  };
  return { dialect, room, name: '', content, terms };
}

/** A value as JSON, with bytes as `{"base64": ...}`. */
export function showValue(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, item: unknown) {
    const raw = this[key];
    return raw instanceof Uint8Array ? { base64: Buffer.from(raw).toString('base64') } : item;
  });
}
