import type { MessageForm, MockMessage, Place } from '@backlot/contracts';
import type { Answer } from '../answer.js';
import type { CompiledWebsocket } from '../matcher.js';

/** Stands for a segment that may be anything, as `ANY` of the contracts does. */
const ANY = '\u0000';

/** Channels are paths; clients send what the application receives, and mocks what it sends. */
export const FORM: MessageForm = {
  word: 'path',
  bindings: 'ws',
  isDirected: true,
  hasBases: true,
  placesOf: (path) => placesOf(path),
  *messagesOf(mock, compiled) {
    const { path } = mock;
    const { dialect, greeting, rules } = compiled as CompiledWebsocket;
    // Which channels an expression is for is known only when a client connects.
    if (dialect !== undefined || typeof path !== 'string' || /^re:|\*/.test(path)) return;
    const places = placesOf(path.replaceAll(/\{[^{}/]*\}/g, ANY));
    if (greeting !== undefined) yield* partsOf('/on_connect', places, greeting);
    for (const [index, { answer }] of rules.entries()) yield* partsOf(`/on_message/${index}`, places, answer);
  },
};

/** Where a path is found: a parameter stands for one segment. */
export function placesOf(path: string): readonly Place[] {
  return [path.replace(/^\//, '').split('/')];
}

function* partsOf(at: string, places: readonly Place[], { steps }: Answer): Generator<MockMessage> {
  for (const { parts } of steps)
    for (const part of parts) if ('frame' in part) yield { at, places, payload: Buffer.from(part.body) };
}
