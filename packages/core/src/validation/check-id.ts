import type { Problem } from '../errors.js';
import { show } from './messages.js';
import { isObject, pointTo } from './pointer.js';

/**
 * The problem of an element of a configured list whose id an earlier one has.
 *
 * @param ids - the ids of earlier elements; this one's is added
 * @param at - the element's JSON pointer
 */
export function checkIdIsNew(element: unknown, ids: Set<unknown>, noun: string, at: string): Problem[] {
  const id = isObject(element) ? element['id'] : undefined;
  if (id === undefined) return [];
  const isTaken = ids.has(id);
  ids.add(id);
  return isTaken
    ? [{ path: pointTo(at, 'id'), message: `${show(id)} is the id of an earlier ${noun}; give each its own` }]
    : [];
}
