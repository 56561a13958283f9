import { countTokens, inputOf, paced, paceOf, replyTo, tokensOf } from '../../llm/index.mjs';
import { BROKEN, checkFailure, modelOf, operation } from './api.mjs';
import { readConversation } from './conversation.mjs';
import { keepThread, withThread } from './threads.mjs';

const STOP = { length: 'max_tokens', tools: 'tool_use', filter: 'refusal' };

/** After how many tokens the streams of a scenario break. */
const BREAK_AFTER = 2;

export const create = operation((call) => made(call));

/** A stream breaks in the middle. */
export const createBroken = operation((call) => made(call, { break_after: BREAK_AFTER }));

function made({ body, context }, flaws = {}) {
  const whole = withThread(context, body);
  const { message, reply } = answer(context, whole);
  keepThread(context, body, whole, message);
  if (body.stream !== true) return message;
  const events = eventsOf(message, { ...reply, ...flaws });
  return { response: { headers: { 'Content-Type': 'text/event-stream' } }, more: { stream: { events } } };
}

export const count = operation(({ body, context }) => {
  const model = modelOf(context, body);
  return { input_tokens: inputOf(readConversation(body, model, { isCounted: true })) };
});

/** The message that a call is answered with, and the reply that it was made of. @throws AnthropicError */
export function answer(context, body) {
  const model = modelOf(context, body);
  const conversation = readConversation(body, model);
  const rows = context.collection('anthropic:replies').list();
  const reply = paceOf(context.vars.anthropic, replyTo(conversation, rows));
  checkFailure(reply);
  const thought = conversation.isThinking ? reply.thinking : undefined;
  const reason = reply.refusal !== undefined ? 'refusal' : STOP[reply.finish];
  const message = {
    id: `msg_${context.random.string(24)}`,
    type: 'message',
    role: 'assistant',
    model: model.id,
    content: contentOf(context, reply, thought),
    stop_reason: reason ?? (reply.stopped === undefined ? 'end_turn' : 'stop_sequence'),
    stop_sequence: reason === undefined ? (reply.stopped ?? null) : null,
    stop_details:
      reason === 'refusal' ? { type: 'refusal', category: null, explanation: reply.refusal ?? null } : null,
    container: null,
    usage: {
      input_tokens: reply.usage.input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: reply.usage.output + countTokens(thought),
      server_tool_use: null,
      service_tier: 'standard',
    },
  };
  return { message, reply };
}

function contentOf({ random }, { text, calls, refusal }, thinking) {
  const blocks = [];
  if (thinking !== undefined)
    blocks.push({ type: 'thinking', thinking: String(thinking), signature: random.string(64) });
  if (text !== '' || (calls.length === 0 && refusal === undefined))
    blocks.push({ type: 'text', text, citations: null });
  for (const { name, input } of calls)
    blocks.push({
      type: 'tool_use',
      id: `toolu_${random.string(24)}`,
      name,
      input,
      caller: { type: 'direct' },
    });
  return blocks;
}

function eventsOf(message, reply) {
  const events = [];
  const say = (type, fields, isToken = false) => {
    events.push({ event: type, json: { type, ...fields }, isToken });
  };
  const { stop_reason, stop_sequence, stop_details, usage } = message;
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...usage, output_tokens: 0 },
  };
  say('message_start', { message: begun });
  say('ping', {});
  for (const [index, block] of message.content.entries()) {
    say('content_block_start', { index, content_block: emptied(block) });
    for (const delta of deltasOf(block))
      say('content_block_delta', { index, delta }, delta.type !== 'signature_delta');
    say('content_block_stop', { index });
  }
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  say('message_delta', {
    delta: { stop_reason, stop_sequence, stop_details },
    usage: { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens },
  });
  say('message_stop', {});
  return paced(events, reply, BROKEN);
}

function emptied(block) {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    default:
      return { ...block, input: {} };
  }
}

function deltasOf(block) {
  switch (block.type) {
    case 'text':
      return tokensOf(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...tokensOf(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    default:
      return (JSON.stringify(block.input).match(/.{1,8}/gsu) ?? []).map((partial_json) => {
        return { type: 'input_json_delta', partial_json };
      });
  }
}
