import { defineMethod } from '../method.js';

/** Class exchange (40; AMQP 0-9-1 reference, 1.6). */
export const exchange = {
  declare: defineMethod(40, 10, 'exchange.declare', {
    reserved1: 'short',
    exchange: 'shortstr',
    type: 'shortstr',
    passive: 'bit',
    durable: 'bit',
    autoDelete: 'bit',
    internal: 'bit',
    noWait: 'bit',
    arguments: 'table',
  }),
  declareOk: defineMethod(40, 11, 'exchange.declare-ok', {}),
  delete: defineMethod(40, 20, 'exchange.delete', {
    reserved1: 'short',
    exchange: 'shortstr',
    ifUnused: 'bit',
    noWait: 'bit',
  }),
  deleteOk: defineMethod(40, 21, 'exchange.delete-ok', {}),
  bind: defineMethod(40, 30, 'exchange.bind', {
    reserved1: 'short',
    destination: 'shortstr',
    source: 'shortstr',
    routingKey: 'shortstr',
    noWait: 'bit',
    arguments: 'table',
  }),
  bindOk: defineMethod(40, 31, 'exchange.bind-ok', {}),
  unbind: defineMethod(40, 40, 'exchange.unbind', {
    reserved1: 'short',
    destination: 'shortstr',
    source: 'shortstr',
    routingKey: 'shortstr',
    noWait: 'bit',
    arguments: 'table',
  }),
  unbindOk: defineMethod(40, 51, 'exchange.unbind-ok', {}),
} as const;
