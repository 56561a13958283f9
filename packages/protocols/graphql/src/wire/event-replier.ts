import { bytesOf, type HttpAnswer, type Replier } from '@backlot/kit/http';
import type { ResultChannel } from './result-channel.js';

/** Answers an operation of a client that takes events alone: its one result is an event, and the end follows it. */
export function eventReplier(reply: Replier, channel: ResultChannel): Replier {
  return {
    send: (answer) => {
      if (answer.status !== 200) return reply.send(answer);
      channel.open().write(channel.framing.result(textOf(answer)));
      channel.end();
    },
    stream: (head) => reply.stream(head),
    truncate: (answer, bytes) => reply.truncate(answer, bytes),
    lose: (form, random) => reply.lose(form, random),
    get hasBegun() {
      return reply.hasBegun;
    },
    onClose: (listener) => reply.onClose(listener),
  };
}

function textOf(answer: HttpAnswer): string {
  return bytesOf(answer).toString('utf8');
}
