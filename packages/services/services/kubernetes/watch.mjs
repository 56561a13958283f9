import { waitFor } from '../../waiting/index.mjs';
import { isTrue } from './body.mjs';
import { badRequest, expired } from './status.mjs';
import { changed, Store } from './store.mjs';
import { selectorOf } from './verbs.mjs';

const LEFT = Symbol('left');

/** Resolves when the client has left. */
export const whenLeft = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(LEFT);
    else signal.addEventListener('abort', () => resolve(LEFT), { once: true });
  });

/** Answers with what changes, a line of JSON each. */
export function watch(call) {
  const { query } = call;
  const isWanted = selectorOf(call);
  const seconds = Number(query.timeoutSeconds ?? 0);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw badRequest(`timeoutSeconds must be a number, got ${query.timeoutSeconds}`);
  const from = Number(query.resourceVersion ?? 0);
  if (!Number.isInteger(from) || from < 0)
    throw badRequest(`resourceVersion: Invalid value: "${query.resourceVersion}": must be a number`);
  return {
    headers: { 'Content-Type': 'application/json' },
    feed: eventsOf(call, { isWanted, seconds, from }),
  };
}

const line = (type, object) => ({ data: { type, object } });

async function* eventsOf(call, { isWanted, seconds, from }) {
  const { resource, namespace, context, query, options } = call;
  let store = new Store(context);
  const end = seconds === 0 ? undefined : context.clock.now() + seconds * 1000;
  let seen = from;
  if (options.isExpired === true || (from > 0 && from < store.compacted)) {
    const oldest = Math.max(store.compacted, from + 1);
    yield line('ERROR', expired(`too old resource version: ${from} (${oldest})`).status);
    return;
  }
  if (from === 0) {
    seen = store.revision;
    for (const object of store.list(resource, namespace).filter(isWanted)) yield line('ADDED', object);
  }
  const bookmark = () =>
    line('BOOKMARK', {
      kind: resource.kind,
      apiVersion: store.show(resource, {}).apiVersion,
      metadata: {
        resourceVersion: String(store.revision),
        creationTimestamp: null,
        ...(isTrue(query.sendInitialEvents) ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    });
  if (isTrue(query.sendInitialEvents)) yield bookmark();
  const asked = whenLeft(context.signal);
  for (;;) {
    store = new Store(context);
    for (const change of store.changesOf(resource, namespace, seen)) {
      seen = change.revision;
      const event = eventOf(change, isWanted, (object) => store.show(resource, object));
      if (event === undefined) continue;
      yield event;
      if (options.isCut === true) return;
    }
    const milliseconds = end === undefined ? undefined : Math.max(end - context.clock.now(), 0);
    if (milliseconds === 0) {
      if (isTrue(query.allowWatchBookmarks)) yield bookmark();
      return;
    }
    const step = await waitFor(changed, { clock: context.clock, asked, milliseconds });
    if (step === LEFT || context.signal.aborted) return;
  }
}

/** A change as one sees it who wants some objects: those that come to be wanted are new, those that cease to be are gone. */
function eventOf({ type, object, before }, isWanted, show) {
  const [was, is] = [before !== null && isWanted(show(before)), type !== 'DELETED' && isWanted(show(object))];
  if (is) return line(was ? 'MODIFIED' : 'ADDED', show(object));
  if (!was) return undefined;
  const { resourceVersion } = object.metadata;
  return line('DELETED', show({ ...before, metadata: { ...before.metadata, resourceVersion } }));
}
