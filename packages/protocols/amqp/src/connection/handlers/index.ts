import { keyOfMethod } from '../../wire/method.js';
import type { ChannelContext } from '../channel-context.js';
import { ACCESS_HANDLERS } from './access.js';
import { BASIC_HANDLERS } from './basic.js';
import { CHANNEL_HANDLERS } from './channel.js';
import { CONFIRM_HANDLERS } from './confirm.js';
import { EXCHANGE_HANDLERS } from './exchange.js';
import type { Handler } from './handler.js';
import { QUEUE_HANDLERS } from './queue.js';
import { TX_HANDLERS } from './tx.js';

/** A handler as it is called: with the arguments that its own method was read with. */
interface AnyHandler {
  readonly method: Handler['method'];
  readonly handle: (channel: ChannelContext, values: unknown) => void;
}

const ALL: readonly Handler[] = [
  ...CHANNEL_HANDLERS,
  ...ACCESS_HANDLERS,
  ...EXCHANGE_HANDLERS,
  ...QUEUE_HANDLERS,
  ...BASIC_HANDLERS,
  ...CONFIRM_HANDLERS,
  ...TX_HANDLERS,
];

/** What is done for each method that a client may send on a channel. */
export const HANDLERS: ReadonlyMap<number, AnyHandler> = new Map(
  ALL.map((handler) => [
    keyOfMethod(handler.method.classId, handler.method.methodId),
    handler as unknown as AnyHandler,
  ]),
);
