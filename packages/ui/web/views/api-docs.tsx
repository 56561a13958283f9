import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { addressOf, change, place } from '../lib/address.js';
import { protocols, titleOf } from '../lib/kinds.js';
import { readInterface, type Route } from '../lib/openapi.js';
import { Empty, Failed } from '../parts/empty.js';
import { useAsync } from '../parts/use-async.js';
import { ApiRoute } from './api-route.js';

/** The group of routes that are for no single protocol. */
const SHARED = 'all';

/** Whose route it is: that of the protocol whose name is a part of its path. */
function ownerOf({ path }: Route, kinds: ReadonlySet<string>): string {
  return path.split('/').find((part) => kinds.has(part)) ?? SHARED;
}

/** The management API: its routes by protocol, with a form to try each. */
export function ApiDocs(): JSX.Element {
  const { params } = place.value;
  const { value, error } = useAsync(() => readInterface(), []);
  const names = protocols.value.map(({ protocol }) => protocol).join();
  const groups = useMemo(() => {
    const kinds = new Set(names.split(','));
    const found = new Map<string, Route[]>([[SHARED, []]]);
    for (const route of value?.routes ?? []) {
      const owner = ownerOf(route, kinds);
      found.set(owner, [...(found.get(owner) ?? []), route]);
    }
    return found;
  }, [value, names]);
  if (error !== undefined) return <Failed error={error} />;
  if (value === undefined) return <p class="quiet loading">...</p>;
  const text = (params['q'] ?? '').toLowerCase();
  const words = text.split(/\s+/).filter((word) => word !== '');
  const chosen = params['kind'] ?? SHARED;
  const open = params['route'];
  const within = words.length === 0 ? (groups.get(chosen) ?? []) : value.routes;
  const shown = within.filter((route) => words.every((word) => route.text.includes(word)));
  const tags = [...new Set(shown.map(({ tag }) => tag))];
  return (
    <div class="api">
      <nav class="api-kinds" aria-label="Routes by protocol">
        {[...groups.keys()].map((kind) => (
          <a
            key={kind}
            href={addressOf('api', { kind: kind === SHARED ? undefined : kind })}
            aria-current={words.length === 0 && kind === chosen ? 'true' : undefined}
          >
            {kind === SHARED ? 'Of all protocols' : titleOf(kind)}
            <span class="count">{groups.get(kind)?.length ?? 0}</span>
          </a>
        ))}
      </nav>
      <section class="list" aria-label="Routes">
        <div class="bar">
          <input
            type="search"
            id="filter-q"
            class="wide"
            placeholder="Search all routes (/)"
            aria-label="Search all routes"
            value={params['q'] ?? ''}
            onInput={(event) => change({ q: event.currentTarget.value }, true)}
          />
          <span class="quiet counted">
            {shown.length} of {value.routes.length}
          </span>
          <a href="api/openapi.json" download="openapi.json">
            OpenAPI 3.1
          </a>
        </div>
        {shown.length === 0 ? <Empty>No route says that.</Empty> : null}
        <div class="api-routes">
          {tags.map((tag) => (
            <section key={tag} aria-label={tag}>
              <h2>{tag}</h2>
              <ul>
                {shown
                  .filter((route) => route.tag === tag)
                  .map((route) => (
                    <li key={route.id} class={route.id === open ? 'open' : ''}>
                      <button
                        type="button"
                        class="api-line"
                        aria-expanded={route.id === open}
                        onClick={() => change({ route: route.id === open ? undefined : route.id }, true)}
                      >
                        <span class={`method ${route.method.toLowerCase()}`}>{route.method}</span>
                        <code>{route.path}</code>
                        <span class="quiet">{route.summary}</span>
                      </button>
                      {route.id === open ? (
                        <ApiRoute key={route.id} route={route} schemas={value.schemas} />
                      ) : null}
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </section>
    </div>
  );
}
