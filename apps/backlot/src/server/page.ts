import type { ManagementOptions } from '@backlot/management';
import { importOptional } from '../plugins/known.js';

type Handler = NonNullable<ManagementOptions['page']>;

const PAGE = /^\/(?:ui\/[^?]*)?(?:\?.*)?$/;

/** Answers the page, whose package is loaded when somebody opens it; it may have been left out when the app was installed. */
export function createPageHandler(): Handler {
  let loaded: Promise<Handler | undefined> | undefined;
  return (request, response, next) => {
    if (!PAGE.test(request.url)) {
      next();
      return;
    }
    loaded ??= importOptional('@backlot/ui', () => import('@backlot/ui')).then((exported) =>
      exported?.createPage(),
    );
    loaded.then((page) => (page === undefined ? next() : page(request, response, next)), next);
  };
}
