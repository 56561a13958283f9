import { notFound, operation, rowsOf } from './api.mjs';
import { readContext } from './contexts.mjs';
import { changesOf } from './data.mjs';
import { evaluate } from './evaluate.mjs';

/** The values of all flags that are told to clients, for one context. */
function valuesFor(context, subject, withReasons) {
  const [flags, segments] = [rowsOf(context, 'flags'), rowsOf(context, 'segments')];
  const data = {
    flag: (key) => (flags.has(key) ? flags.get(key) : undefined),
    segment: (key) => (segments.has(key) ? segments.get(key) : undefined),
  };
  const values = [];
  for (const flag of flags.values()) {
    const { clientSideAvailability: available } = flag;
    if (available?.usingEnvironmentId === false) continue;
    const { value, variation, reason } = evaluate(flag, subject, data);
    values.push([
      flag.key,
      {
        version: flag.version,
        flagVersion: flag.version,
        value,
        ...(variation === null ? {} : { variation }),
        trackEvents: flag.trackEvents === true,
        ...(withReasons ? { reason } : {}),
        ...((flag.prerequisites ?? []).length === 0
          ? {}
          : { prerequisites: flag.prerequisites.map(({ key }) => key) }),
      },
    ]);
  }
  return Object.fromEntries(values);
}

/** Whom it is evaluated for: what the path has in base64, or the body of a REPORT. */
function subjectOf({ params, raw_body: raw }) {
  if (params.context === undefined) return readContext(String(raw ?? ''));
  return readContext(Buffer.from(params.context, 'base64url').toString('utf8'));
}

const asksReasons = ({ query }) => query.withReasons === 'true';

export const values = operation('client', (request, context) => ({
  json: valuesFor(context, subjectOf(request), asksReasons(request)),
}));

/** The values, and all of them again each time they may be others. */
export const stream = operation('client', (request, context) => {
  const subject = subjectOf(request);
  const changes = changesOf(context);
  const put = () => ({ event: 'put', data: valuesFor(context, subject, asksReasons(request)) });
  return { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' }, feed: told() };

  async function* told() {
    yield put();
    for await (const _ of changes) yield put();
  }
});

/** Goals belong to experiments, of which there are none. */
export const goals = operation('client', ({ params }) => {
  if (params.environment === '') throw notFound('environment');
  return { json: [] };
});
