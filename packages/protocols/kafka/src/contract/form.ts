import type { MessageForm, MockMessage, Place } from '@backlot/contracts';
import type { CompiledKafka } from '../compiled.js';

/** Channels are topics; the name that a binding gives counts before the address. */
export const FORM: MessageForm = {
  word: 'topic',
  bindings: 'kafka',
  placesOf: (address, { topic }) => placesOf(typeof topic === 'string' && topic !== '' ? topic : address),
  *messagesOf(_mock, compiled) {
    const { topic, records, response } = compiled as CompiledKafka;
    if (topic.exact !== undefined)
      for (const [index, { content }] of records.entries())
        yield messageAt(`/records/${index}`, topic.exact, content.value);
    if (typeof response?.topic === 'string')
      yield messageAt('/response', response.topic, response.content.value);
  },
};

/** Where a topic is found: a parameter stands for what is between two dots, or a part of it. */
export function placesOf(topic: string): readonly Place[] {
  return [topic.split('.')];
}

/** @param value - null for none, and what is no bytes where it is made when the mock answers */
function messageAt(at: string, topic: string, value: unknown): MockMessage {
  return { at, places: placesOf(topic), payload: Buffer.isBuffer(value) ? value : undefined };
}
