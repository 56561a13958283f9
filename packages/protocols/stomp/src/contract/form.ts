import type { MessageForm, Place } from '@backlot/contracts';
import type { CompiledStomp } from '../matcher.js';

/** Channels are destinations. */
export const FORM: MessageForm = {
  word: 'destination',
  bindings: 'stomp',
  placesOf: (address) => placesOf(address).slice(0, 1),
  *messagesOf(_mock, compiled) {
    for (const [index, { response }] of (compiled as CompiledStomp).steps.entries()) {
      const { destination, bytes } = response;
      if (destination?.constant !== true) continue;
      yield {
        at: index === 0 ? '/response' : '/messages',
        places: placesOf(destination.source),
        payload: bytes,
      };
    }
  },
};

/** Where a destination is found: as it is, or without the word for its sort. A parameter stands for what is between two slashes. */
export function placesOf(destination: string): readonly Place[] {
  const place = destination.replace(/^\//, '').split('/');
  return place.length > 1 && (place[0] === 'queue' || place[0] === 'topic')
    ? [place, place.slice(1)]
    : [place];
}
