import type { EventEmitter } from 'node:events';

/** Makes what the listeners of an emitter throw reach `onError` instead of the event loop, where it would end the process. */
export function isolateEmitter(emitter: EventEmitter, onError: (error: unknown) => void): void {
  const emit = emitter.emit.bind(emitter) as (...args: unknown[]) => boolean;
  emitter.emit = (...args: unknown[]): boolean => {
    try {
      return emit(...args);
    } catch (error) {
      onError(error);
      return true;
    }
  };
}
