import { paced, paceOf, replyTo } from '../../llm/index.mjs';
import {
  BREAK_AFTER,
  BROKEN,
  checkFailure,
  invalid,
  modelOf,
  OpenAIError,
  operation,
  seconds,
} from './api.mjs';
import { schemaOf, textOf } from './chat.mjs';

export const create = operation((call) => answer(call));

/** A stream breaks in the middle. */
export const createBroken = operation((call) => answer(call, { break_after: BREAK_AFTER }));

function answer({ body, context }, flaws = {}) {
  const model = modelOf(context, body);
  const before =
    body.previous_response_id === undefined || body.previous_response_id === null
      ? []
      : earlier(context, body.previous_response_id);
  const items = [...before, ...itemsOf(body.input)];
  const conversation = { model, system: body.instructions, messages: messagesOf(items), ...readTools(body) };
  const rows = context.collection('openai:replies').list();
  const reply = { ...paceOf(context.vars.openai, replyTo(conversation, rows)), ...flaws };
  checkFailure(reply);
  const response = responseOf(context, body, model, reply);
  if (body.store !== false)
    context.collection('openai:responses').create({ ...response, items: [...items, ...response.output] });
  if (body.stream !== true) return response;
  const events = eventsOf(response, reply);
  return { response: { headers: { 'Content-Type': 'text/event-stream' } }, more: { stream: { events } } };
}

function earlier({ collection }, id) {
  const rows = collection('openai:responses');
  if (rows.has(id)) return rows.get(id).items;
  throw new OpenAIError(400, `Previous response with id '${String(id)}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}

function itemsOf(input) {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (Array.isArray(input) && input.length > 0) return input;
  throw invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
}

function messagesOf(items) {
  const names = new Map();
  return items.flatMap((item, index) => {
    const { type = 'message', role, content, call_id: id, name, output } = item;
    if (type === 'function_call') names.set(id, name);
    if (type === 'message') return [{ role, text: textOf(content) }];
    if (type !== 'function_call_output') return [];
    if (!names.has(id))
      throw invalid(
        `No tool call found for function call output with call_id ${String(id)}.`,
        `input[${index}]`,
      );
    return [{ role: 'tool', text: textOf(output), tool: names.get(id) }];
  });
}

function readTools({ tools = [], tool_choice: choice, text, max_output_tokens: limit }) {
  const read = tools.map(({ type, name, parameters }, index) => {
    if (type !== 'function')
      throw invalid(
        `Tools of the type '${String(type)}' are not mocked; those of the type 'function' are.`,
        `tools[${index}].type`,
      );
    return { name, schema: parameters };
  });
  const force = choice === 'required' ? true : choice?.name;
  const { type, schema } = text?.format ?? {};
  return {
    tools: read,
    ...(force === undefined ? {} : { force }),
    ...(typeof limit === 'number' ? { limit } : {}),
    ...schemaOf(type, schema),
  };
}

function responseOf(context, body, model, reply) {
  const { text, calls, refusal, usage, finish } = reply;
  const part =
    refusal === undefined
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'refusal', refusal };
  const message = {
    id: `msg_${context.random.string(48)}`,
    type: 'message',
    status: finish === 'length' ? 'incomplete' : 'completed',
    role: 'assistant',
    content: [part],
  };
  const functions = calls.map(({ name, input }) => ({
    id: `fc_${context.random.string(48)}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${context.random.string(24)}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const reason =
    finish === 'length' ? 'max_output_tokens' : finish === 'filter' ? 'content_filter' : undefined;
  return {
    id: `resp_${context.random.string(48)}`,
    object: 'response',
    created_at: seconds(context),
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model,
    output: text === '' && refusal === undefined && calls.length > 0 ? functions : [message, ...functions],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function eventsOf(response, reply) {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [];
  const say = (type, fields, isToken = false) => {
    events.push({ event: type, json: { type, sequence_number: events.length, ...fields }, isToken });
  };
  say('response.created', { response: begun });
  say('response.in_progress', { response: begun });
  for (const [index, item] of response.output.entries()) {
    if (item.type === 'message') sayMessage(say, index, item, reply);
    else sayCall(say, index, item);
  }
  const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete';
  say(type, { response });
  const { message, code } = BROKEN.json.error;
  const failure = {
    event: 'error',
    json: { type: 'error', message, code, param: null, sequence_number: events.length },
  };
  return paced(events, reply, failure);
}

function sayMessage(say, output_index, item, { tokens, refusal }) {
  const [part] = item.content;
  const at = { item_id: item.id, output_index, content_index: 0 };
  say('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } });
  if (refusal !== undefined) {
    say('response.content_part.added', { ...at, part: { ...part, refusal: '' } });
    say('response.refusal.delta', { ...at, delta: refusal }, true);
    say('response.refusal.done', { ...at, refusal });
  } else {
    say('response.content_part.added', { ...at, part: { ...part, text: '' } });
    for (const delta of tokens) say('response.output_text.delta', { ...at, delta, logprobs: [] }, true);
    say('response.output_text.done', { ...at, text: part.text, logprobs: [] });
  }
  say('response.content_part.done', { ...at, part });
  say('response.output_item.done', { output_index, item });
}

function sayCall(say, output_index, item) {
  const at = { item_id: item.id, output_index };
  say('response.output_item.added', {
    output_index,
    item: { ...item, status: 'in_progress', arguments: '' },
  });
  for (const delta of item.arguments.match(/.{1,8}/gsu) ?? [])
    say('response.function_call_arguments.delta', { ...at, delta }, true);
  say('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments });
  say('response.output_item.done', { output_index, item });
}

function find({ collection }, id) {
  const rows = collection('openai:responses');
  if (rows.has(id)) return rows.get(id);
  throw new OpenAIError(404, `Response with id '${id}' not found.`);
}

export const retrieve = operation(({ request, context }) => {
  const { items: _, ...response } = find(context, request.params.id);
  return response;
});

export const remove = operation(({ request, context }) => {
  const { id } = find(context, request.params.id);
  context.collection('openai:responses').remove(id);
  return { id, object: 'response', deleted: true };
});
