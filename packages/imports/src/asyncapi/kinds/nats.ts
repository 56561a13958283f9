import { literalJson } from '../../shared/literal.js';
import { textOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { concreteAddress, namedAddress } from '../address.js';
import { answerAddress, answerContent, contentOf, variantsOf } from '../content.js';
import type { Example, Message, Operation, Tools } from '../document.js';
import { headerTexts, noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

/** Channels are subjects. */
export const nats: WriterDeclaration = {
  kind: 'nats',
  protocols: ['nats', 'natss'],
  create: (tools) => new NatsWriter(tools),
};

class NatsWriter implements Writer {
  readonly #mocks: Tree[] = [];

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, reply, id, messages, bindings } = operation;
    if (!this.#isSubject(operation)) return;
    const binding = treeOf(bindings['nats']);
    noteUnused(binding, ['queue'], operation.place, 'nats', this.tools);
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      this.#mocks.push(
        withoutAbsent({
          id: this.tools.ids.take(
            message === undefined || messages.length < 2 ? id : `${id}-${message.name}`,
          ),
          subject: namedAddress(channel.address ?? ''),
          queue_group: textOf(binding['queue']),
          payload: pattern,
          response:
            answer === undefined
              ? undefined
              : withoutAbsent({
                  // A request of NATS brings the subject of its reply along, which counts more than a document.
                  subject:
                    reply?.location === undefined && reply?.channel !== undefined
                      ? `{{#if request.reply}}{{request.reply}}{{else}}${answerAddress(reply.channel, channel, true, this.tools)}{{/if}}`
                      : undefined,
                  ...this.#answer(message, answer),
                }),
        }),
      );
    }
  }

  send(operation: Operation, message: Message, example: Example): Tree | undefined {
    if (!this.#isSubject(operation)) return undefined;
    return withoutAbsent({
      subject: concreteAddress(operation.channel, this.tools),
      ...contentOf(message, example, 'payload'),
      headers: headerTexts(literalJson(example.headers) as Tree),
    });
  }

  finish(): ReturnType<Writer['finish']> {
    return { block: { mocks: this.#mocks } };
  }

  #answer(request: Message | undefined, answer: Message): Tree {
    const { content, headers } = answerContent(request, answer, 'payload');
    return withoutAbsent({ ...content, headers: headerTexts(headers) });
  }

  #isSubject({ channel }: Operation): boolean {
    const words = (channel.address ?? '').split('.');
    const isSubject =
      words.every((word) => /^(\{[^{}\s]{1,200}\}|[^\s*>{}]{1,500})$/.test(word)) && words.length <= 100;
    if (!isSubject)
      this.tools.notes.refused(
        channel.place,
        `"${(channel.address ?? '').slice(0, 100)}" is no subject in which parameters are words`,
      );
    return isSubject;
  }
}
