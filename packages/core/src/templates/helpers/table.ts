import type { Helper } from './arguments.js';
import { CHANCE_HELPERS } from './chance.js';
import { TEXT_HELPERS } from './text.js';
import { TIME_HELPERS } from './time.js';

/** Every helper by its name. */
export const HELPERS: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ...Object.entries(TIME_HELPERS),
  ...Object.entries(CHANCE_HELPERS),
  ...Object.entries(TEXT_HELPERS),
]);
