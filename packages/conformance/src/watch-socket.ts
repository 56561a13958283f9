import type { Socket } from 'node:net';

/**
 * Resolves once the condition holds, which is asked at once and after each thing that happens to the socket: behind the
 * listeners that were there before, which may keep what has come.
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
