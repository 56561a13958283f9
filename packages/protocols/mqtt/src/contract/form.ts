import type { MessageForm, Place } from '@backlot/contracts';
import type { CompiledMqtt } from '../matcher.js';

/** Channels are topics. */
export const FORM: MessageForm = {
  word: 'topic',
  bindings: 'mqtt',
  placesOf: (topic) => placesOf(topic),
  *messagesOf(mock, compiled) {
    const { topic } = (mock['response'] ?? {}) as { readonly topic?: string };
    if (topic === undefined || topic === '' || topic.includes('{{')) return;
    const payload = (compiled as CompiledMqtt).response?.constant;
    if (payload !== undefined) yield { at: '/response', places: placesOf(topic), payload };
  },
};

/** Where a topic is found: a parameter stands for one level. */
export function placesOf(topic: string): readonly Place[] {
  return [topic.split('/')];
}
