const waiting = new Set();

/** Lets those look again who wait for a message, whatever queue they wait for. */
export function wake() {
  for (const look of [...waiting]) look();
}

/**
 * Waits for a time of the virtual clock, or until a message has come.
 *
 * @returns whether the client is still there
 */
export async function waitFor(milliseconds, { clock }) {
  let look;
  const woken = new Promise((resolve) => {
    look = () => resolve(true);
    waiting.add(look);
  });
  try {
    return await Promise.race([clock.wait(milliseconds), woken]);
  } finally {
    waiting.delete(look);
  }
}
