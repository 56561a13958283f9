import type { Helper } from './arguments.js';
import { CHANCE_HELPERS } from './chance.js';
import { CONDITION_HELPERS } from './conditions.js';
import { DIGEST_HELPERS } from './digests.js';
import { LIST_HELPERS } from './lists.js';
import { NUMBER_HELPERS } from './numbers.js';
import { QUERY_HELPERS } from './queries.js';
import { TEXT_HELPERS } from './text.js';
import { TIME_HELPERS } from './time.js';
import { TOKEN_HELPERS } from './tokens.js';

/** Every helper by its name. */
export const HELPERS: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ...Object.entries(TIME_HELPERS),
  ...Object.entries(CHANCE_HELPERS),
  ...Object.entries(TEXT_HELPERS),
  ...Object.entries(CONDITION_HELPERS),
  ...Object.entries(NUMBER_HELPERS),
  ...Object.entries(LIST_HELPERS),
  ...Object.entries(QUERY_HELPERS),
  ...Object.entries(DIGEST_HELPERS),
  ...Object.entries(TOKEN_HELPERS),
]);
