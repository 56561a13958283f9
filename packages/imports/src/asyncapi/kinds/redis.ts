import { isJsonType } from '../../shared/answer.js';
import { literal, literalJson } from '../../shared/literal.js';
import type { Tree } from '@backlot/contracts';
import { concreteAddress } from '../address.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import type { Writer, WriterDeclaration } from '../writer.js';

/** Channels are channels of publish and subscribe, which are there as they are. */
export const redis: WriterDeclaration = {
  kind: 'redis',
  protocols: ['redis', 'rediss'],
  create: (tools) => new RedisWriter(tools),
};

class RedisWriter implements Writer {
  constructor(private readonly tools: Tools) {}

  receive({ channel, reply, place }: Operation): void {
    if (!this.#isKnown(channel)) return;
    this.tools.notes.approximated(
      place,
      'what clients publish in Redis goes to those who have subscribed; it needs no mock',
    );
    if (reply !== undefined) this.tools.notes.refused(place, 'a message of Redis is not answered');
  }

  send({ channel }: Operation, { contentType, place }: Message, { payload }: Example): Tree | undefined {
    if (!this.#isKnown(channel)) return undefined;
    if (payload === undefined) {
      this.tools.notes.refused(place, 'a message without a payload is not sent');
      return undefined;
    }
    const isText = typeof payload === 'string' && !isJsonType(contentType);
    return {
      channel: concreteAddress(channel, this.tools),
      message: isText ? literal(payload) : JSON.stringify(literalJson(payload)),
    };
  }

  finish(): ReturnType<Writer['finish']> {
    return { block: {} };
  }

  #isKnown({ address = '', place }: Channel): boolean {
    if (address !== '') return true;
    this.tools.notes.refused(
      place,
      'a channel without an address is known when a message is sent, and not before',
    );
    return false;
  }
}
