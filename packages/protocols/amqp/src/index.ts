import type { Protocol } from '@backlot/core/plugin';
import { amqp as declared } from './plugin.js';
import type { AmqpTypes } from './types.generated.js';

export type {
  AmqpAnswer,
  AmqpBinding,
  AmqpCaptured,
  AmqpConfig,
  AmqpExchange,
  AmqpFault,
  AmqpMock,
  AmqpProperties,
  AmqpQueue,
  AmqpResponse,
  AmqpTypes,
  AmqpUser,
} from './types.generated.js';

/** AMQP 0-9-1: a broker in memory with RabbitMQ's extensions, and mocks that answer messages. */
export const amqp = declared as Protocol as Protocol<AmqpTypes>;
