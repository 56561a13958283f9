import type { MessageForm, Place } from '@backlot/contracts';
import type { CompiledNats } from '../matcher.js';

/** Channels are subjects. */
export const FORM: MessageForm = {
  word: 'subject',
  bindings: 'nats',
  placesOf: (subject) => placesOf(subject),
  *messagesOf(_mock, compiled) {
    const { response } = compiled as CompiledNats;
    if (response?.subject?.constant !== true) return;
    const { subject, payload } = response;
    yield {
      at: '/response',
      places: placesOf(subject.source),
      payload: Buffer.isBuffer(payload) ? payload : undefined,
    };
  },
};

/** Where a subject is found: a parameter stands for one word. */
export function placesOf(subject: string): readonly Place[] {
  return [subject.split('.')];
}
