import { literalJson } from '../../shared/literal.js';
import { integerOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { concreteAddress, namedAddress } from '../address.js';
import { answerAddress, answerContent, contentOf, templateOf, variantsOf } from '../content.js';
import type { Example, Message, Operation, Tools } from '../document.js';
import { headerTexts, noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

/** Channels are topics. */
export const mqtt: WriterDeclaration = {
  kind: 'mqtt',
  protocols: ['mqtt', 'mqtts', 'mqtt5', 'secure-mqtt'],
  create: (tools) => new MqttWriter(tools),
};

class MqttWriter implements Writer {
  readonly #mocks: Tree[] = [];

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, reply, id, messages } = operation;
    if (!this.#isTopic(operation)) return;
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      this.#mocks.push(
        withoutAbsent({
          id: this.tools.ids.take(
            message === undefined || messages.length < 2 ? id : `${id}-${message.name}`,
          ),
          topic: namedAddress(channel.address ?? ''),
          payload: pattern,
          response:
            answer === undefined
              ? undefined
              : withoutAbsent({
                  topic:
                    reply?.channel === undefined
                      ? reply?.location && templateOf(reply.location)
                      : answerAddress(reply.channel, channel, true, this.tools),
                  ...this.#answer(message, answer),
                  qos: integerOf(treeOf(operation.bindings['mqtt'])['qos'], 0, 2),
                }),
        }),
      );
    }
  }

  send(operation: Operation, message: Message, example: Example): Tree | undefined {
    if (!this.#isTopic(operation)) return undefined;
    const binding = treeOf(operation.bindings['mqtt']);
    noteUnused(binding, ['qos', 'retain'], operation.place, 'mqtt', this.tools);
    return withoutAbsent({
      topic: concreteAddress(operation.channel, this.tools),
      ...contentOf(message, example, 'payload'),
      qos: integerOf(binding['qos'], 0, 2),
      retain: typeof binding['retain'] === 'boolean' ? binding['retain'] : undefined,
      content_type: message.contentType,
      user_properties: headerTexts(literalJson(example.headers) as Tree),
    });
  }

  finish(): ReturnType<Writer['finish']> {
    return { block: { mocks: this.#mocks } };
  }

  #answer(request: Message | undefined, answer: Message): Tree {
    const { content, headers } = answerContent(request, answer, 'payload');
    return withoutAbsent({
      ...content,
      content_type: answer.contentType,
      user_properties: headerTexts(headers),
    });
  }

  #isTopic({ channel }: Operation): boolean {
    const { address } = channel;
    const isTopic =
      address !== undefined &&
      address !== '' &&
      address.length <= 1000 &&
      !/[+#\0]/.test(address) &&
      !address.startsWith('$');
    if (!isTopic)
      this.tools.notes.refused(
        channel.place,
        address === undefined
          ? 'a channel without an address is known when a message is sent, and not before'
          : `"${address.slice(0, 100)}" is no name of a topic`,
      );
    return isTopic;
  }
}
