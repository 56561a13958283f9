import type { EventEmitter } from 'node:events';
import { timers } from './timers.js';

/**
 * Makes what the listeners of an emitter throw reach `onError` instead of the event loop, where it would end the process.
 *
 * @param onData - told after each `data` event when it began, by {@link Timers.now}
 */
export function isolateEmitter(
  emitter: EventEmitter,
  onError: (error: unknown) => void,
  onData?: (began: number) => void,
): void {
  const emit = emitter.emit.bind(emitter) as (...args: unknown[]) => boolean;
  emitter.emit = (...args: unknown[]): boolean => {
    const began = onData !== undefined && args[0] === 'data' ? timers.now() : -1;
    try {
      return emit(...args);
    } catch (error) {
      onError(error);
      return true;
    } finally {
      if (began >= 0) onData?.(began);
    }
  };
}
