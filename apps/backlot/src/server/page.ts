import { BacklotError } from '@backlot/core';
import type { ManagementOptions } from '@backlot/management';
import { importOptional } from '../plugins/known.js';

type Handler = NonNullable<ManagementOptions['page']>;

const PAGE = /^\/(?:ui\/[^?]*|api\/docs)?(?:\?.*)?$/;
/** What there is without the page as well. */
const DOCS = /^\/api\/docs/;

/** Answers the page, whose package is loaded when somebody opens it; it may have been left out when the app was installed. */
export function createPageHandler(): Handler {
  let loaded: Promise<Handler | undefined> | undefined;
  return (request, response, next) => {
    if (!PAGE.test(request.url)) {
      next();
      return;
    }
    loaded ??= loadPage();
    loaded.then(
      (page) => (page === undefined ? next() : page(request, response, next)),
      (error: unknown) => (DOCS.test(request.url) ? next() : next(error)),
    );
  };
}

/** @throws BacklotError `not_found` where the app runs from its sources and the page was not built */
async function loadPage(): Promise<Handler | undefined> {
  const exported = await importOptional('@backlot/ui', () => import('@backlot/ui'));
  try {
    return exported?.createPage();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BacklotError(
      'not_found',
      'the page is not built here; run "npm run build" and start again, or use /api/docs',
    );
  }
}
