import { ruleFor } from './rules.mjs';
import { sampleOf } from './sample.mjs';
import { countTokens, tokensOf } from './tokens.mjs';

/**
 * What a model answers, in the shape of no service: by the first rule that is for the conversation, else by what is asked
 * for: a tool that must be called, an object of a schema, or a text that repeats the question.
 *
 * @param conversation - `model`, `system`, `messages` of `{role, text, tool}`, where `tool` names whose result it is,
 * `tools` of `{name, schema}`, `force` (the name of a tool, `true` for any), `schema` of the answer, `limit` of its tokens, `stop`
 * @returns what the rule says, with `text`, its `tokens`, `calls`, `finish`, `usage`, and `stopped`, the text of `stop` that ended it
 * @param rows - the rules: `when`, and `reply` as a text or as `{text, json, tools, refusal, finish, error, first, token, break_after}`
 */
export function replyTo(conversation, rows) {
  const { messages, model } = conversation;
  const last = messages.at(-1) ?? { role: 'user', text: '' };
  const rule = ruleFor(rows, { model, last });
  const given = rule === undefined ? unasked(conversation, last) : readReply(rule.reply);
  const { text, isCut, stopped } = cut(given.text, conversation);
  const tokens = tokensOf(text);
  const calls = given.tools.map(({ name, input = {} }) => ({ name, input }));
  const output =
    tokens.length + calls.reduce((sum, { name, input }) => sum + countTokens(name) + countTokens(input), 0);
  return {
    ...given,
    text,
    tokens,
    calls,
    ...(stopped === undefined ? {} : { stopped }),
    finish: given.finish ?? (isCut ? 'length' : calls.length > 0 ? 'tools' : 'stop'),
    usage: { input: inputOf(conversation), output: output + countTokens(given.refusal) },
  };
}

/** How many tokens a conversation has, its tools included. */
export function inputOf({ system, messages, tools = [] }) {
  const texts = messages.reduce((sum, { text }) => sum + countTokens(text), 0);
  return countTokens(system) + texts + tools.reduce((sum, tool) => sum + countTokens(tool), 0);
}

function readReply(reply = '') {
  if (typeof reply === 'string') return { text: reply, tools: [] };
  const { json, text = json === undefined ? '' : JSON.stringify(json), tools = [], ...others } = reply;
  return { ...others, text, tools };
}

function unasked({ tools = [], force, schema }, last) {
  const wanted = force === true ? tools[0] : tools.find(({ name }) => name === force);
  if (wanted !== undefined && last.tool === undefined)
    return { text: '', tools: [{ name: wanted.name, input: sampleOf(wanted.schema ?? {}) }] };
  if (schema !== undefined) return { text: JSON.stringify(sampleOf(schema)), tools: [] };
  return { text: `This is a mocked answer to: ${last.text}`, tools: [] };
}

function cut(text, { limit, stop = [] }) {
  let end = text.length;
  let stopped;
  for (const word of stop) {
    const at = text.indexOf(word);
    if (at < 0 || at >= end) continue;
    end = at;
    stopped = word;
  }
  const kept = text.slice(0, end);
  const tokens = tokensOf(kept);
  if (limit === undefined || tokens.length <= limit) return { text: kept, isCut: false, stopped };
  return { text: tokens.slice(0, limit).join(''), isCut: true };
}
