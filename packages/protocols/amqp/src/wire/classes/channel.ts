import { defineMethod } from '../method.js';

/** Class channel (20; AMQP 0-9-1 reference, 1.5). */
export const channel = {
  open: defineMethod(20, 10, 'channel.open', { reserved1: 'shortstr' }),
  openOk: defineMethod(20, 11, 'channel.open-ok', { reserved1: 'longstr' }),
  flow: defineMethod(20, 20, 'channel.flow', { active: 'bit' }),
  flowOk: defineMethod(20, 21, 'channel.flow-ok', { active: 'bit' }),
  close: defineMethod(20, 40, 'channel.close', {
    replyCode: 'short',
    replyText: 'shortstr',
    classId: 'short',
    methodId: 'short',
  }),
  closeOk: defineMethod(20, 41, 'channel.close-ok', {}),
} as const;
