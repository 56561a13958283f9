import { defineMethod } from '../method.js';

/** Class access (30) of AMQP 0-8, which old clients still ask for. */
export const access = {
  request: defineMethod(30, 10, 'access.request', {
    realm: 'shortstr',
    exclusive: 'bit',
    passive: 'bit',
    active: 'bit',
    write: 'bit',
    read: 'bit',
  }),
  requestOk: defineMethod(30, 11, 'access.request-ok', { ticket: 'short' }),
} as const;
