import { availableParallelism } from 'node:os';

/**
 * Runs tasks side by side, as many at a time as there are processors.
 *
 * @template T
 * @param {readonly (() => Promise<T>)[]} tasks started in their order
 * @param {number} [width] how many at a time
 * @returns {Promise<T[]>} what they gave, in the same order
 */
export async function together(tasks, width = availableParallelism()) {
  /** @type {T[]} */
  const results = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task !== undefined) results[index] = await task();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, tasks.length)) }, worker));
  return results;
}
