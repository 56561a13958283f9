import { Type } from '@backlot/core/plugin';

/** How a request is answered that no mock matches. */
export const UnmatchedSchema = Type.Union([Type.Literal('error'), Type.Literal('made')], {
  default: 'error',
  description:
    'How a request is answered that no mock matches: with an `error`, status 404, or with an answer that is `made` of the `contract`.',
});
