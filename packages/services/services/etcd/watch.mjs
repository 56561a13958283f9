import { waitForChange } from './leases.mjs';
import { keyValue, rangeOf, Store, bytesOf } from './store.mjs';

const FILTERED = { Noput: 'PUT', Nodelete: 'DELETE' };

/** Watches of one client: it makes and cancels them, and is told what changes. */
export async function* watch({ arriving }, context) {
  const watches = new Map();
  let nextId = 0;
  let asked = arriving.next();
  for (;;) {
    const store = new Store(context);
    for (const one of watches.values()) yield* newsOf(one, store);
    const step = await waitForChange(store, context, asked);
    if (step === undefined) {
      if (context.signal.aborted) return;
      continue;
    }
    if (step.done) return;
    asked = arriving.next();
    const { create_request: create, cancel_request: cancel, progress_request: progress } = step.value;
    const { header, compacted, revision } = new Store(context);
    if (create !== undefined) {
      const wanted = Number(create.watch_id ?? 0);
      const id = wanted > 0 && !watches.has(wanted) ? wanted : nextId++;
      const from = Number(create.start_revision ?? 0);
      yield { header, watch_id: id, created: true };
      if (from > 0 && from < compacted)
        yield { header, watch_id: id, canceled: true, compact_revision: compacted };
      else watches.set(id, makeWatch(id, create, from === 0 ? revision + 1 : from));
    }
    if (cancel !== undefined && watches.delete(Number(cancel.watch_id ?? 0)))
      yield { header, watch_id: Number(cancel.watch_id ?? 0), canceled: true };
    if (progress !== undefined) yield { header, watch_id: -1 };
  }
}

function makeWatch(id, create, next) {
  const left = new Set((create.filters ?? []).map((filter) => FILTERED[filter]));
  return { id, includes: rangeOf(create), left, withBefore: create.prev_kv === true, next };
}

/** What a watch has not been told yet. */
function* newsOf(watch, store) {
  const { id, includes, left, withBefore, next } = watch;
  const events = store.events
    .list()
    .filter(({ key, type, mod_revision: at }) => at >= next && !left.has(type) && includes(bytesOf(key)));
  watch.next = Math.max(next, store.revision + 1);
  if (events.length === 0) return;
  yield {
    header: store.header,
    watch_id: id,
    events: events.map((event) => ({
      type: event.type === 'PUT' ? 'Put' : 'Delete',
      kv: keyValue(event),
      ...(withBefore && event.before !== null ? { prev_kv: keyValue(event.before) } : {}),
    })),
  };
}
