/** Calls back once after so many milliseconds of real time; what is under way keeps the process alive, not this. */
export function afterRealTime(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Calls back once the current turn of the event loop is over. */
export function afterThisTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Milliseconds of a clock that only runs forward, for durations. */
export function realElapsed(): number {
  return performance.now();
}
