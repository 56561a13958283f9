import type { WildcardSyntax } from '@backlot/kit/wildcards';

/** Routing keys of topic exchanges: words between dots, `*` for one, `#` for any number of them. */
export const ROUTING_KEYS: WildcardSyntax = {
  separator: '.',
  one: '*',
  many: '#',
  manyMatchesParent: true,
  manyAnywhere: true,
};
