import type { Part } from '../answer.js';
import type { WebsocketMatch } from '../shape.js';
import type { Dialect, EventFields, Packet } from './dialect.js';
import type { DialectMessage } from './dialect-message.js';
import { showValue } from './unit.js';

/** Makes what is sent together, with what the journal shows of it. */
export function makeStep(
  parts: readonly Part[],
  match: WebsocketMatch,
  message: DialectMessage,
  dialect: Dialect,
): { readonly packets: readonly Packet[]; readonly shown: string | undefined } {
  const packets: Packet[] = [];
  const shown: string[] = [];
  for (const part of parts) {
    if (!('say' in part)) throw new TypeError('what is said in a dialect must be in its terms');
    const value = match.renderValue(part.value);
    if (part.say === 'event') packets.push(...dialect.event(message.unit.room, value as EventFields));
    else packets.push(...dialect.answer(message, part.say, value));
    if (part.say !== 'end') shown.push(showValue(part.term === '' ? value : { [part.term]: value }));
  }
  return { packets, shown: shown.length === 0 ? undefined : shown.join('\n') };
}
