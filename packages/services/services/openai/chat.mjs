import { paced, paceOf, replyTo } from '../../llm/index.mjs';
import { BREAK_AFTER, BROKEN, checkFailure, invalid, modelOf, operation, seconds } from './api.mjs';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const FINISH = { stop: 'stop', length: 'length', tools: 'tool_calls', filter: 'content_filter' };
const MAX_CHOICES = 128;

export const complete = operation((call) => completion(call));

/** A stream breaks in the middle. */
export const completeBroken = operation((call) => completion(call, { break_after: BREAK_AFTER }));

function completion({ body, context }, flaws = {}) {
  const model = modelOf(context, body);
  const conversation = { model, ...readMessages(body), ...readTools(body) };
  const rows = context.collection('openai:replies').list();
  const reply = { ...paceOf(context.vars.openai, replyTo(conversation, rows)), ...flaws };
  checkFailure(reply);
  const { n = 1 } = body;
  if (!Number.isInteger(n) || n < 1 || n > MAX_CHOICES)
    throw invalid(
      `Invalid 'n': expected a whole number from 1 to ${MAX_CHOICES}, but got ${String(n)} instead.`,
      'n',
    );
  const { input, output } = reply.usage;
  const head = { id: `chatcmpl-${context.random.string(29)}`, created: seconds(context), model };
  const usage = {
    prompt_tokens: input,
    completion_tokens: output * n,
    total_tokens: input + output * n,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
  const calls = reply.calls.map(({ name, input: given }) => ({
    id: `call_${context.random.string(24)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  const shared = { service_tier: 'default', system_fingerprint: 'fp_backlot' };
  if (body.stream === true) {
    const chunk = { ...head, object: 'chat.completion.chunk', ...shared };
    const withUsage = body.stream_options?.include_usage === true;
    const events = chunksOf(reply, calls, n, chunk, withUsage ? usage : undefined);
    return { response: { headers: { 'Content-Type': 'text/event-stream' } }, more: { stream: { events } } };
  }
  const message = {
    role: 'assistant',
    content: reply.text === '' && (calls.length > 0 || reply.refusal !== undefined) ? null : reply.text,
    refusal: reply.refusal ?? null,
    annotations: [],
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choices = Array.from({ length: n }, (_, index) => {
    return { index, message, logprobs: null, finish_reason: FINISH[reply.finish] };
  });
  return { ...head, object: 'chat.completion', choices, usage, ...shared };
}

function chunksOf(reply, calls, n, chunk, usage) {
  const delta = (index, fields, finish = null) => ({
    json: {
      ...chunk,
      choices: [{ index, delta: fields, logprobs: null, finish_reason: finish }],
      ...(usage === undefined ? {} : { usage: null }),
    },
  });
  const token = (index, fields) => ({ ...delta(index, fields), isToken: true });
  const events = [];
  for (let index = 0; index < n; index += 1) {
    events.push(delta(index, { role: 'assistant', content: calls.length > 0 ? null : '', refusal: null }));
    for (const content of reply.tokens) events.push(token(index, { content }));
    if (reply.refusal !== undefined) events.push(token(index, { refusal: reply.refusal }));
    for (const [at, call] of calls.entries()) {
      const { name, arguments: given } = call.function;
      events.push(delta(index, { tool_calls: [{ ...call, index: at, function: { name, arguments: '' } }] }));
      for (const piece of given.match(/.{1,8}/gsu) ?? [])
        events.push(token(index, { tool_calls: [{ index: at, function: { arguments: piece } }] }));
    }
    events.push(delta(index, {}, FINISH[reply.finish]));
  }
  if (usage !== undefined) events.push({ json: { ...chunk, choices: [], usage } });
  return paced([...events, { data: '[DONE]' }], reply, BROKEN);
}

function readMessages({ messages, max_completion_tokens: limit, max_tokens: before, stop }) {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid(
      "Invalid 'messages': expected a list with at least one message.",
      'messages',
      'empty_array',
    );
  const names = new Map();
  const read = messages.map((message, index) => {
    const { role, content, tool_calls: calls = [], tool_call_id: id } = message ?? {};
    if (!ROLES.includes(role)) {
      throw invalid(
        `Invalid value: '${String(role)}'. Supported values are: ${ROLES.map((one) => `'${one}'`).join(', ')}.`,
        `messages[${index}].role`,
        'invalid_value',
      );
    }
    for (const call of calls) names.set(call.id, call.function?.name);
    if (role === 'tool' && !names.has(id)) {
      throw invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        `messages[${index}].role`,
      );
    }
    return { role, text: textOf(content), ...(role === 'tool' ? { tool: names.get(id) } : {}) };
  });
  const ends = stop === undefined || stop === null ? [] : [stop].flat();
  const most = limit ?? before ?? undefined;
  return { messages: read, stop: ends, ...(typeof most === 'number' ? { limit: most } : {}) };
}

/** The text of a message; of several parts those that are text. */
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(({ text = '' }) => text).join('');
}

function readTools({ tools = [], tool_choice: choice, response_format: format }) {
  const read = tools.map((tool, index) => {
    const { name, parameters } = tool.function ?? {};
    if (tool.type !== 'function' || typeof name !== 'string')
      throw invalid(
        `Invalid 'tools[${index}]': only tools of the type 'function' with a name are mocked.`,
        `tools[${index}]`,
      );
    return { name, schema: parameters };
  });
  const named = choice?.function?.name;
  if (named !== undefined && !read.some(({ name }) => name === named))
    throw invalid(`Tool choice '${named}' not found in 'tools' parameter.`, 'tool_choice');
  const force = choice === 'required' ? true : named;
  return {
    tools: read,
    ...(force === undefined ? {} : { force }),
    ...schemaOf(format?.type, format?.json_schema?.schema),
  };
}

/** What the answer must be like. */
export function schemaOf(type, schema) {
  if (type === 'json_schema') return { schema: schema ?? {} };
  return type === 'json_object'
    ? { schema: { type: 'object', properties: { answer: { type: 'string' } } } }
    : {};
}
