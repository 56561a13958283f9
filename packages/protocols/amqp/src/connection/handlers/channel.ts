import { AmqpError } from '../../wire/amqp-error.js';
import { channel as channelClass } from '../../wire/classes/channel.js';
import { REPLY } from '../../wire/reply-codes.js';
import { on, type Handler } from './handler.js';

/** Class channel (AMQP 0-9-1 reference, 1.5). */
export const CHANNEL_HANDLERS: readonly Handler[] = [
  on(channelClass.open, () => {
    throw new AmqpError(REPLY.channelError, "second 'channel.open' seen");
  }),
  on(channelClass.flow, (channel, { active }) => {
    if (!active) throw new AmqpError(REPLY.notImplemented, 'active=false');
    channel.send(channelClass.flowOk, { active });
  }),
  on(channelClass.flowOk, () => undefined),
  on(channelClass.close, (channel) => {
    channel.release();
    channel.send(channelClass.closeOk, {});
    channel.connection.forget(channel, false);
  }),
  // One that crosses the close of this side, or answers none.
  on(channelClass.closeOk, () => undefined),
];
