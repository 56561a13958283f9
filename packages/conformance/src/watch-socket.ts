import type { Socket } from 'node:net';

/**
 * Resolves when the condition holds. The condition is asked now and after each event of the socket, after the listeners
 * that were there before, so that it sees what they have stored.
 *
 * @throws Error when the socket is closed and the condition still does not hold
 */
export function watchSocket(socket: Socket, condition: () => boolean): Promise<void> {
  if (condition()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (settle: () => void): void => {
      socket.off('data', look).off('end', look).off('close', close);
      settle();
    };
    const look = (): void => {
      if (condition()) stop(resolve);
    };
    const close = (): void => {
      const error = new Error(`the connection was closed before this came true: ${condition.toString()}`);
      stop(() => (condition() ? resolve() : reject(error)));
    };
    socket.on('data', look).on('end', look).on('close', close);
    // Between the end of a socket and its event stand a few ticks; behind them no event comes any more.
    if (socket.closed) setImmediate(close);
  });
}
