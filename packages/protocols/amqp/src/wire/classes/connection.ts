import { defineMethod } from '../method.js';

/** Class connection (10; AMQP 0-9-1 reference, 1.4). */
export const connection = {
  start: defineMethod(10, 10, 'connection.start', {
    versionMajor: 'octet',
    versionMinor: 'octet',
    serverProperties: 'table',
    mechanisms: 'longstr',
    locales: 'longstr',
  }),
  startOk: defineMethod(10, 11, 'connection.start-ok', {
    clientProperties: 'table',
    mechanism: 'shortstr',
    response: 'longstr',
    locale: 'shortstr',
  }),
  tune: defineMethod(10, 30, 'connection.tune', {
    channelMax: 'short',
    frameMax: 'long',
    heartbeat: 'short',
  }),
  tuneOk: defineMethod(10, 31, 'connection.tune-ok', {
    channelMax: 'short',
    frameMax: 'long',
    heartbeat: 'short',
  }),
  open: defineMethod(10, 40, 'connection.open', {
    virtualHost: 'shortstr',
    reserved1: 'shortstr',
    reserved2: 'bit',
  }),
  openOk: defineMethod(10, 41, 'connection.open-ok', { reserved1: 'shortstr' }),
  close: defineMethod(10, 50, 'connection.close', {
    replyCode: 'short',
    replyText: 'shortstr',
    classId: 'short',
    methodId: 'short',
  }),
  closeOk: defineMethod(10, 51, 'connection.close-ok', {}),
  blocked: defineMethod(10, 60, 'connection.blocked', { reason: 'shortstr' }),
  unblocked: defineMethod(10, 61, 'connection.unblocked', {}),
  updateSecret: defineMethod(10, 70, 'connection.update-secret', {
    newSecret: 'longstr',
    reason: 'shortstr',
  }),
  updateSecretOk: defineMethod(10, 71, 'connection.update-secret-ok', {}),
} as const;
