/** Wakes those that wait until something has changed, whatever it is: they look for themselves. */
export function makeBell() {
  const waiting = new Set();
  return {
    ring() {
      const all = [...waiting];
      waiting.clear();
      for (const wake of all) wake('rung');
    },
    /** @returns a promise of the next ring, and what ends the waiting */
    wait() {
      let wake;
      const rung = new Promise((resolve) => {
        wake = resolve;
      });
      waiting.add(wake);
      return { rung, cancel: () => waiting.delete(wake) };
    },
  };
}

/**
 * Waits for a ring, for a message, or for a time of the virtual clock.
 *
 * @param asked - what else is waited for, such as the next message of the client
 * @param milliseconds - the longest time; without end when absent
 * @returns what came first, `undefined` where it was the time or the client has left
 */
export async function waitFor(bell, { clock, asked, milliseconds }) {
  const { rung, cancel } = bell.wait();
  const isOver = new AbortController();
  try {
    return await Promise.race([
      rung,
      ...(asked === undefined ? [] : [asked]),
      ...(milliseconds === undefined ? [] : [clock.wait(milliseconds, isOver.signal).then(() => undefined)]),
    ]);
  } finally {
    cancel();
    // Else each wait that loses would be kept until its time has come.
    isOver.abort();
  }
}
