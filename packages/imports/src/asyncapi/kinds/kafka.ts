import type { Json } from '@backlot/core/plugin';
import { literal, literalJson } from '../../shared/literal.js';
import { integerOf, memberOf, textOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { anyAddress, concreteAddress, hasParameters } from '../address.js';
import { answerContent, contentOf, templateOf, variantsOf } from '../content.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import { headerTexts, noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

/** Channels are topics; values that have a schema of Avro are encoded by a schema registry. */
export const kafka: WriterDeclaration = {
  kind: 'kafka',
  protocols: ['kafka', 'kafka-secure'],
  create: (tools) => new KafkaWriter(tools),
};

class KafkaWriter implements Writer {
  readonly #topics = new Map<string, Json>();
  readonly #mocks: Tree[] = [];
  /** The schemas by their subjects, with the messages that they are of. */
  readonly #schemas = new Map<string, Message['schema'] & object>();

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, reply, place, id } = operation;
    const { notes, ids } = this.tools;
    const topic = this.#topic(channel);
    if (topic === undefined) return;
    for (const message of operation.messages) this.#schemaOf(message, topic, channel);
    const target =
      reply?.location === undefined
        ? reply?.channel && this.#topic(reply.channel)
        : templateOf(reply.location);
    if (reply !== undefined && target === undefined)
      notes.refused(place, 'a reply has no topic that can be told from the message');
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      this.#mocks.push(
        withoutAbsent({
          id: ids.take(message === undefined || operation.messages.length < 2 ? id : `${id}-${message.name}`),
          topic: hasParameters(this.#written(channel)) ? anyAddress(this.#written(channel)) : topic,
          value: pattern,
          response:
            answer === undefined || target === undefined
              ? undefined
              : this.#answer(message, answer, target, reply?.channel ?? channel),
        }),
      );
    }
  }

  send({ channel }: Operation, message: Message, example: Example): Tree | undefined {
    const topic = this.#topic(channel);
    if (topic === undefined) return undefined;
    return withoutAbsent({
      topic,
      key: this.#key(message, channel),
      ...contentOf(message, example, 'value'),
      headers: headerTexts(literalJson(example.headers) as Tree),
      schema: this.#schemaOf(message, topic, channel),
    });
  }

  finish(): ReturnType<Writer['finish']> {
    const topics = [...this.#topics.values()];
    const schemas = Array.from(this.#schemas, ([subject, { type, value }]) => ({
      subject,
      type,
      schema: value,
    }));
    return {
      block: {
        topics,
        mocks: this.#mocks,
        ...(schemas.length === 0 ? {} : { schema_registry: { schemas } }),
      },
      data: { topics: { section: 'topics', entries: topics } },
    };
  }

  #answer(request: Message | undefined, answer: Message, topic: string, channel: Channel): Tree {
    const { content, headers } = answerContent(request, answer, 'value');
    return withoutAbsent({
      topic,
      key: '{{request.key}}',
      ...content,
      headers: headerTexts(headers),
      schema: topic.includes('{{') ? undefined : this.#schemaOf(answer, topic, channel),
    });
  }

  /** The name of the topic as the document has it. */
  #written({ address = '', bindings }: Channel): string {
    return textOf(memberOf(bindings['kafka'], 'topic')) ?? address;
  }

  /** The topic of a channel, which is made; `undefined` for a name that no topic can have. */
  #topic(channel: Channel): string | undefined {
    const { tools } = this;
    const written = this.#written(channel);
    const topic = concreteAddress({ ...channel, address: written }, tools);
    if (!/^[\w.-]{1,249}$/.test(topic) || topic === '.' || topic === '..') {
      tools.notes.refused(
        channel.place,
        channel.address === undefined
          ? 'a channel without an address is known when a message is sent, and not before'
          : `"${topic.slice(0, 100)}" is no name of a topic`,
      );
      return undefined;
    }
    if (hasParameters(written))
      tools.notes.approximated(
        channel.place,
        `messages are sent with values for the parameters of the address: "${topic}"`,
      );
    const binding = treeOf(channel.bindings['kafka']);
    noteUnused(binding, ['topic', 'partitions'], channel.place, 'kafka', tools);
    const partitions = integerOf(binding['partitions'], 1, 1000);
    this.#topics.set(topic, { name: topic, ...(partitions === undefined ? {} : { partitions }) });
    return topic;
  }

  #key(message: Message, { document }: Channel): string | undefined {
    const schema = memberOf(message.bindings['kafka'], 'key');
    if (schema === undefined) return undefined;
    const value = this.tools.sampler.sample(schema, document, 'key');
    return value === undefined ? undefined : literal(textOf(value) ?? JSON.stringify(value));
  }

  /** The subject by whose schema a message is encoded; `undefined` when it is sent as JSON. */
  #schemaOf({ schema, place, name }: Message, topic: string, { servers }: Channel): string | undefined {
    const hasRegistry = servers.some(
      ({ bindings }) => memberOf(bindings['kafka'], 'schemaRegistryUrl') !== undefined,
    );
    if (schema === undefined || (schema.type === 'json' && !hasRegistry)) return undefined;
    const subject = `${topic}-value`;
    const known = this.#schemas.get(subject);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      this.tools.notes.approximated(
        place,
        `the subject "${subject}" has the schema of another message; "${name.slice(0, 100)}" is sent as JSON`,
      );
      return undefined;
    }
    this.#schemas.set(subject, schema);
    return subject;
  }
}
