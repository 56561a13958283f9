import { readFileSync } from 'node:fs';

/** Milliseconds of a tick, in which proc(5) counts: the USER_HZ of every port of Linux that Node.js has. */
export const TICK = 10;

/**
 * The processor time that a process has had, in ticks: fields 14 and 15 of proc(5), and of its children that have ended 16 and 17.
 *
 * @param {number | 'self'} pid
 * @param {boolean} [withChildren]
 * @throws Error where there is no such process, or the system does not tell
 */
export function ticksOf(pid, withChildren = false) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number);
  return fields.slice(11, withChildren ? 15 : 13).reduce((sum, field) => sum + field, 0);
}
