import { defineMethod } from '../method.js';

/** Class queue (50; AMQP 0-9-1 reference, 1.7). */
export const queue = {
  declare: defineMethod(50, 10, 'queue.declare', {
    reserved1: 'short',
    queue: 'shortstr',
    passive: 'bit',
    durable: 'bit',
    exclusive: 'bit',
    autoDelete: 'bit',
    noWait: 'bit',
    arguments: 'table',
  }),
  declareOk: defineMethod(50, 11, 'queue.declare-ok', {
    queue: 'shortstr',
    messageCount: 'long',
    consumerCount: 'long',
  }),
  bind: defineMethod(50, 20, 'queue.bind', {
    reserved1: 'short',
    queue: 'shortstr',
    exchange: 'shortstr',
    routingKey: 'shortstr',
    noWait: 'bit',
    arguments: 'table',
  }),
  bindOk: defineMethod(50, 21, 'queue.bind-ok', {}),
  purge: defineMethod(50, 30, 'queue.purge', { reserved1: 'short', queue: 'shortstr', noWait: 'bit' }),
  purgeOk: defineMethod(50, 31, 'queue.purge-ok', { messageCount: 'long' }),
  delete: defineMethod(50, 40, 'queue.delete', {
    reserved1: 'short',
    queue: 'shortstr',
    ifUnused: 'bit',
    ifEmpty: 'bit',
    noWait: 'bit',
  }),
  deleteOk: defineMethod(50, 41, 'queue.delete-ok', { messageCount: 'long' }),
  unbind: defineMethod(50, 50, 'queue.unbind', {
    reserved1: 'short',
    queue: 'shortstr',
    exchange: 'shortstr',
    routingKey: 'shortstr',
    arguments: 'table',
  }),
  unbindOk: defineMethod(50, 51, 'queue.unbind-ok', {}),
} as const;
