import type { Properties } from '../wire/properties.js';
import { BrokerMessage } from './broker-message.js';
import type { SavedDelayed } from './delayed-messages.js';
import type { SavedMessage } from './queue-types.js';
import type { BrokerSnapshot, SavedQueue } from './snapshot.js';

/** A message as plain data. */
interface PackedMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: Properties;
  readonly body: Buffer;
  readonly header: Buffer;
}

/** What has a message, with that as plain data. */
type Packed<T extends { readonly message: BrokerMessage }> = Omit<T, 'message'> & {
  readonly message: PackedMessage;
};

interface PackedQueue extends Omit<SavedQueue, 'content'> {
  readonly content: Omit<SavedQueue['content'], 'messages'> & {
    readonly messages: readonly Packed<SavedMessage>[];
  };
}

interface PackedBroker extends Omit<BrokerSnapshot, 'queues' | 'delayed'> {
  readonly queues: readonly PackedQueue[];
  readonly delayed: readonly Packed<SavedDelayed>[];
}

/** A snapshot of the broker as it passes to another process. */
export function packBroker({ queues, delayed, ...others }: BrokerSnapshot): PackedBroker {
  return {
    ...others,
    queues: queues.map(({ definition, content }) => ({
      definition,
      content: { ...content, messages: content.messages.map(packed) },
    })),
    delayed: delayed.map(packed),
  };
}

/** Takes back {@link packBroker}. */
export function unpackBroker(given: unknown): BrokerSnapshot {
  const { queues, delayed, ...others } = given as PackedBroker;
  return {
    ...others,
    queues: queues.map(({ definition, content }) => ({
      definition,
      content: { ...content, messages: content.messages.map((each) => unpacked<SavedMessage>(each)) },
    })),
    delayed: delayed.map((each) => unpacked<SavedDelayed>(each)),
  };
}

function packed<T extends { readonly message: BrokerMessage }>(held: T): Packed<T> {
  const { exchange, routingKey, properties, body, header } = held.message;
  return { ...held, message: { exchange, routingKey, properties, body, header } };
}

function unpacked<T extends { readonly message: BrokerMessage }>(held: Packed<T>): T {
  const { exchange, routingKey, properties, body, header } = held.message;
  return {
    ...held,
    message: new BrokerMessage(exchange, routingKey, properties, body, header),
  } as unknown as T;
}
