import type { ArgumentsOf, Fields, Method } from '../../wire/method.js';
import type { ChannelContext } from '../channel-context.js';

/** What is done when a client sends a method on a channel. */
export interface Handler {
  readonly method: Method;
  /** @throws AmqpError when it cannot be done */
  readonly handle: (channel: ChannelContext, values: never) => void;
}

/** A handler with the arguments of its method. */
export function on<F extends Fields>(
  method: Method<F>,
  handle: (channel: ChannelContext, values: ArgumentsOf<F>) => void,
): Handler {
  return { method: method, handle };
}
