import type { JSX } from 'preact';
import { Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';

/** The view of the management API, which is loaded when it is first opened. */
export function ApiView(): JSX.Element {
  const { value, error } = useAsync(() => import('./api-docs.js'), []);
  if (error !== undefined) return <Failed error={error} />;
  return value === undefined ? <p class="quiet loading">...</p> : <value.ApiDocs />;
}
