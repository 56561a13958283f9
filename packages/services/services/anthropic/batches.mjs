import { AnthropicError, invalid, isObject, isoTime, operation, page, shownError } from './api.mjs';
import { answer } from './messages.mjs';

const MAX_REQUESTS = 10_000;
const SLICE = 50;
const DAY = 86_400_000;
/** How long a batch that is being canceled takes to end. */
const CANCELING = 1000;

export const create = operation(async ({ body, request, context }) => {
  const requests = readRequests(body);
  const id = `msgbatch_${context.random.string(24)}`;
  const now = context.clock.now();
  const results = [];
  for (const one of requests) {
    results.push({ custom_id: one.custom_id, result: resultOf(context, one.params) });
    // A long batch leaves the other connections their turns.
    if (results.length % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const takes = Number(context.vars.anthropic.batch_seconds) * 1000;
  const row = { id, created: now, ends: now + Math.min(takes, DAY), isExpired: takes >= DAY, results };
  return shown(context.collection('anthropic:batches').create(row), request, context);
});

function readRequests({ requests }) {
  if (!Array.isArray(requests)) throw invalid('requests: Field required');
  if (requests.length === 0) throw invalid('requests: List should have at least 1 item');
  if (requests.length > MAX_REQUESTS)
    throw invalid(`requests: List should have at most ${MAX_REQUESTS} items here, not ${requests.length}`);
  const ids = new Set();
  for (const [index, one] of requests.entries()) {
    const { custom_id: id, params } = one ?? {};
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id))
      throw invalid(`requests.${index}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    if (ids.has(id)) throw invalid(`requests.${index}.custom_id: Duplicate custom_id '${id}'`);
    if (!isObject(params)) throw invalid(`requests.${index}.params: Field required`);
    ids.add(id);
  }
  return requests;
}

function resultOf(context, params) {
  try {
    if (params.stream === true) throw invalid('stream: a request of a batch cannot be streamed');
    const { message } = answer(context, params);
    return {
      type: 'succeeded',
      message: { ...message, usage: { ...message.usage, service_tier: 'batch' } },
    };
  } catch (error) {
    if (!(error instanceof AnthropicError)) throw error;
    return { type: 'errored', error: shownError(error, null) };
  }
}

/** What became of a request, once the batch has ended. */
function outcomeOf({ canceled, isExpired }, result) {
  if (canceled !== undefined) return { type: 'canceled' };
  return isExpired ? { type: 'expired' } : result;
}

function shown(row, { scheme, host }, { clock }) {
  const { id, created, ends, canceled, results } = row;
  const isEnded = clock.now() >= ends;
  const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const { result } of results) counts[isEnded ? outcomeOf(row, result).type : 'processing'] += 1;
  return {
    id,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : canceled === undefined ? 'in_progress' : 'canceling',
    request_counts: counts,
    created_at: isoTime(created),
    expires_at: isoTime(created + DAY),
    ended_at: isEnded ? isoTime(ends) : null,
    cancel_initiated_at: canceled === undefined ? null : isoTime(canceled),
    archived_at: null,
    results_url: isEnded
      ? `${scheme}://${host}/anthropic/v1/messages/batches/${encodeURIComponent(id)}/results`
      : null,
  };
}

function find({ collection }, id) {
  const rows = collection('anthropic:batches');
  if (rows.has(id)) return rows.get(id);
  throw new AnthropicError(404, `Message batch with id '${id}' not found.`);
}

export const list = operation(({ request, context }) => {
  const rows = [...context.collection('anthropic:batches').list()].reverse();
  const { data, ...ends } = page(rows, request.query);
  return { data: data.map((row) => shown(row, request, context)), ...ends };
});

export const retrieve = operation(({ request, context }) =>
  shown(find(context, request.params.id), request, context),
);

export const results = operation(({ request, context }) => {
  const row = find(context, request.params.id);
  if (context.clock.now() < row.ends)
    throw invalid(`Message batch '${row.id}' has no available results: it has not ended yet.`);
  const lines = row.results.map(({ custom_id, result }) =>
    JSON.stringify({ custom_id, result: outcomeOf(row, result) }),
  );
  return {
    response: { headers: { 'Content-Type': 'application/x-jsonl' }, body: `${lines.join('\n')}\n` },
  };
});

export const cancel = operation(({ request, context }) => {
  const row = find(context, request.params.id);
  const now = context.clock.now();
  if (now >= row.ends) throw invalid(`Message batch '${row.id}' has ended and cannot be canceled.`);
  if (row.canceled !== undefined) return shown(row, request, context);
  const changed = { ...row, canceled: now, ends: Math.min(row.ends, now + CANCELING) };
  return shown(context.collection('anthropic:batches').replace(row.id, changed), request, context);
});

export const remove = operation(({ request, context }) => {
  const row = find(context, request.params.id);
  if (context.clock.now() < row.ends)
    throw invalid(`Message batch '${row.id}' is still processing: cancel it before it is deleted.`);
  context.collection('anthropic:batches').remove(row.id);
  return { id: row.id, type: 'message_batch_deleted' };
});
