import type { WebsocketContext, WebsocketExchange } from './shape.js';

/**
 * Tells the mock for the ends of connections, where there is one, that a client has left.
 *
 * @param end - ends the exchange: at once, unless the function of the mock takes its time
 */
export function informOfEnd(context: WebsocketContext, exchange: WebsocketExchange, end: () => void): void {
  const informed = context.mocks.index.closings > 0 ? exchange.inform(exchange.message) : undefined;
  if (informed === undefined) end();
  else void informed.then(end);
}
