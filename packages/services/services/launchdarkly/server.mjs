import { operation } from './api.mjs';
import { allData, changesOf } from './data.mjs';

const EVENTS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-LD-EnvID': 'backlot-environment' };

/** All flags and segments, and what happens to them. */
export const stream = operation('server', (_request, context) => {
  const changes = changesOf(context);
  return { headers: EVENTS, feed: told() };

  async function* told() {
    yield putOf(context);
    for await (const { kind, key, data, version } of changes) {
      const path = `/${kind}/${key}`;
      if (kind === undefined) yield putOf(context);
      else if (data === undefined) yield { event: 'delete', data: { path, version } };
      else yield { event: 'patch', data: { path, data } };
    }
  }
});

/** The stream breaks off once it has told what there is. */
export const broken = operation('server', (_request, context) => ({
  headers: EVENTS,
  feed: (async function* told() {
    yield putOf(context);
    await context.clock.wait(20);
    throw new Error('the stream breaks off');
  })(),
}));

/** A stream on which nothing happens after the beginning. */
export const silent = operation('server', (_request, context) => ({
  headers: EVENTS,
  feed: (async function* told() {
    yield putOf(context);
    for await (const _ of context.changes('launchdarkly:nothing'));
  })(),
}));

function putOf(context) {
  return { event: 'put', data: { path: '/', data: allData(context) } };
}

/** All flags and segments, unless they are those that the SDK has. */
export const poll = operation('server', ({ headers }, context) => {
  const json = allData(context);
  const etag = `"${tagOf(JSON.stringify(json))}"`;
  const shared = { ETag: etag, 'Cache-Control': 'max-age=0', 'X-LD-EnvID': 'backlot-environment' };
  if (headers['if-none-match'] === etag) return { status: 304, headers: shared };
  return { headers: shared, json };
});

/** A number that tells texts apart (FNV-1a). */
function tagOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${(hash >>> 0).toString(16)}-${text.length.toString(16)}`;
}
