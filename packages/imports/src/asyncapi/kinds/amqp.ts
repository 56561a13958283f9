import type { Json } from '@backlot/core/plugin';
import { exactly } from '../../shared/answer.js';
import { literalJson } from '../../shared/literal.js';
import { integerOf, isTree, textOf, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { concreteAddress, hasParameters, namedAddress } from '../address.js';
import { answerAddress, answerContent, contentOf, variantsOf } from '../content.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import { noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

const TYPES: readonly unknown[] = ['direct', 'fanout', 'topic', 'headers'];
const LONGEST = 255;

/** Channels are queues, or routing keys of an exchange. */
export const amqp: WriterDeclaration = {
  kind: 'amqp',
  protocols: ['amqp', 'amqps'],
  create: (tools) => new AmqpWriter(tools),
};

interface Target {
  /** Empty for the default one. */
  readonly exchange: string;
}

class AmqpWriter implements Writer {
  readonly #exchanges = new Map<string, Json>();
  readonly #queues = new Map<string, Json>();
  readonly #mocks: Tree[] = [];

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const { channel, reply, id, messages } = operation;
    const target = this.#target(channel);
    if (target === undefined) return;
    noteUnused(
      treeOf(operation.bindings['amqp']),
      ['deliveryMode', 'priority', 'ack'],
      operation.place,
      'amqp',
      this.tools,
    );
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      this.#mocks.push(
        withoutAbsent({
          id: this.tools.ids.take(
            message === undefined || messages.length < 2 ? id : `${id}-${message.name}`,
          ),
          exchange: target.exchange === '' ? { equals: '' } : exactly(target.exchange),
          routing_key: hasParameters(channel.address ?? '')
            ? namedAddress(channel.address ?? '')
            : exactKey(this.#address(channel)),
          body: pattern,
          response:
            answer === undefined
              ? undefined
              : { ...this.#answerTarget(reply?.channel, channel), ...this.#answer(message, answer) },
        }),
      );
    }
  }

  send(operation: Operation, message: Message, example: Example): Tree | undefined {
    const { channel, bindings } = operation;
    const target = this.#target(channel);
    if (target === undefined) return undefined;
    const binding = treeOf(bindings['amqp']);
    noteUnused(binding, ['deliveryMode', 'priority', 'ack'], operation.place, 'amqp', this.tools);
    return {
      exchange: target.exchange,
      routing_key: concreteAddress(channel, this.tools),
      ...contentOf(message, example, 'body'),
      properties: withoutAbsent({
        content_type: message.contentType,
        delivery_mode: integerOf(binding['deliveryMode'], 1, 2),
        priority: integerOf(binding['priority'], 0, 255),
        ...propertiesOf(literalJson(example.headers) as Tree),
      }),
    };
  }

  finish(): ReturnType<Writer['finish']> {
    const exchanges = [...this.#exchanges.values()];
    const queues = [...this.#queues.values()];
    return {
      block: { exchanges, queues, mocks: this.#mocks },
      data: {
        exchanges: { section: 'exchanges', entries: exchanges },
        queues: { section: 'queues', entries: queues },
      },
    };
  }

  #answer(request: Message | undefined, answer: Message): Tree {
    const { content, headers } = answerContent(request, answer, 'body');
    const { correlation_id: correlation, ...properties } = propertiesOf(headers);
    return {
      ...content,
      properties: withoutAbsent({
        content_type: answer.contentType,
        // Without one the broker gives back that of the request, which an example of it must not hide.
        correlation_id: textOf(correlation)?.includes('{{request.') === true ? correlation : undefined,
        ...properties,
      }),
    };
  }

  /** Where an answer goes; the `reply_to` of the message when nothing says otherwise. */
  #answerTarget(reply: Channel | undefined, request: Channel): Tree {
    if (reply === undefined || /^\{[^{}]*\}$/.test(reply.address ?? '')) return {};
    const target = this.#target(reply);
    return target === undefined
      ? {}
      : { exchange: target.exchange, routing_key: answerAddress(reply, request, true, this.tools) };
  }

  #address(channel: Channel): string {
    return concreteAddress(channel, this.tools);
  }

  #target(channel: Channel): Target | undefined {
    const { notes } = this.tools;
    const binding = treeOf(channel.bindings['amqp']);
    const exchange = treeOf(binding['exchange']);
    const queue = treeOf(binding['queue']);
    const isQueue = binding['is'] === 'queue';
    const name = isQueue ? '' : (textOf(exchange['name']) ?? '');
    const queueName = textOf(queue['name']) ?? this.#address(channel);
    noteUnused(binding, ['is', 'exchange', 'queue'], channel.place, 'amqp', this.tools);
    if (channel.address === undefined || !fits(name) || !fits(queueName) || queueName === '') {
      notes.refused(channel.place, 'a channel is a queue or a routing key of at most 255 bytes');
      return undefined;
    }
    if (name !== '' && name !== 'default' && !name.startsWith('amq.')) {
      const { type } = exchange;
      if (type !== undefined && !TYPES.includes(type))
        notes.approximated(channel.place, 'an exchange of a type that is not known is a topic exchange');
      this.#exchanges.set(name, {
        name,
        type: TYPES.includes(type) ? type : 'topic',
        ...flags(exchange, { durable: 'durable', autoDelete: 'auto_delete' }),
      });
    }
    const isDefault = name === '' || name === 'default';
    if (isDefault && queue['exclusive'] === true)
      notes.approximated(channel.place, 'an exclusive queue is made by the client that has it');
    else if (isDefault && !hasParameters(channel.address))
      this.#queues.set(queueName, {
        name: queueName,
        ...flags(queue, { durable: 'durable', autoDelete: 'auto_delete' }),
      });
    return { exchange: isDefault ? '' : name };
  }
}

/** A pattern that is just this key: `#` would stand for any words. */
function exactKey(key: string): string | Tree {
  return key.includes('#') ? { equals: key } : exactly(key);
}

function fits(name: string): boolean {
  return Buffer.byteLength(name) <= LONGEST;
}

function flags(tree: Tree, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) =>
      typeof tree[from] === 'boolean' ? [[to, tree[from]]] : [],
    ),
  );
}

/** Headers that are properties of AMQP, and those that are none. */
function propertiesOf(headers: Tree): Tree {
  const own = ['correlation_id', 'correlationId', 'reply_to', 'replyTo', 'message_id', 'messageId'];
  const properties: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (own.includes(name) && typeof value === 'string')
      properties[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
    else if (Buffer.byteLength(name) <= LONGEST && !isTree(value)) rest[name] = value;
  }
  return Object.keys(rest).length === 0 ? properties : { ...properties, headers: rest };
}
