import { HELPERS } from './helpers/table.js';
import { ROOTS } from './lookup.js';

/** Whether a name means something in every template: a value such as `request`, or a helper such as `uuid`. */
export function isKnownName(name: string): boolean {
  return ROOTS.has(name) || HELPERS.has(name) || name === 'webhook' || name === 'else';
}
