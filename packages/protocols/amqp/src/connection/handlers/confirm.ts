import { AmqpError } from '../../wire/amqp-error.js';
import { confirm } from '../../wire/classes/confirm.js';
import { REPLY } from '../../wire/reply-codes.js';
import { on, type Handler } from './handler.js';

/** Class confirm. */
export const CONFIRM_HANDLERS: readonly Handler[] = [
  on(confirm.select, (channel, { noWait }) => {
    if (channel.transaction !== undefined) {
      throw new AmqpError(REPLY.preconditionFailed, 'cannot switch from tx to confirm mode');
    }
    channel.startConfirms();
    if (!noWait) channel.send(confirm.selectOk, {});
  }),
];
