import { exactly } from '../../shared/answer.js';
import { literalJson } from '../../shared/literal.js';
import { withoutAbsent, type Tree } from '@backlot/contracts';
import { anyAddress, concreteAddress, hasParameters } from '../address.js';
import { answerContent, contentOf, templateOf, variantsOf } from '../content.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import { headerTexts, type Writer, type WriterDeclaration } from '../writer.js';

/** Channels are destinations. */
export const stomp: WriterDeclaration = {
  kind: 'stomp',
  protocols: ['stomp', 'stomps'],
  create: (tools) => new StompWriter(tools),
};

class StompWriter implements Writer {
  readonly #mocks: Tree[] = [];

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, reply, id, messages } = operation;
    if (!this.#isKnown(channel)) return;
    const { address = '' } = channel;
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      const destination =
        reply?.channel === undefined
          ? reply?.location && templateOf(reply.location)
          : concreteAddress(reply.channel, this.tools);
      this.#mocks.push(
        withoutAbsent({
          id: this.tools.ids.take(
            message === undefined || messages.length < 2 ? id : `${id}-${message.name}`,
          ),
          destination: hasParameters(address) ? anyAddress(address) : exactly(address),
          body: pattern,
          response:
            answer === undefined
              ? undefined
              : withoutAbsent({ destination, ...this.#answer(message, answer) }),
        }),
      );
    }
  }

  send({ channel }: Operation, message: Message, example: Example): Tree | undefined {
    if (!this.#isKnown(channel)) return undefined;
    return {
      destination: concreteAddress(channel, this.tools),
      ...contentOf(message, example, 'body'),
      headers: { 'content-type': message.contentType, ...headerTexts(literalJson(example.headers) as Tree) },
    };
  }

  finish(): ReturnType<Writer['finish']> {
    return { block: { mocks: this.#mocks } };
  }

  #answer(request: Message | undefined, answer: Message): Tree {
    const { content, headers } = answerContent(request, answer, 'body');
    return withoutAbsent({ ...content, content_type: answer.contentType, headers: headerTexts(headers) });
  }

  #isKnown({ address = '', place }: Channel): boolean {
    const isKnown = address !== '' && !/[\r\n\0*]/.test(address) && address.length <= 2000;
    if (!isKnown) this.tools.notes.refused(place, `"${address.slice(0, 100)}" is no destination`);
    return isKnown;
  }
}
