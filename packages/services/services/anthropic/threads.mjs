import { AnthropicError, invalid } from './api.mjs';

const ROWS = 'anthropic:threads';

/**
 * The whole conversation of a call that goes on with a thread: what the thread holds, and what the call adds.
 *
 * @throws what Anthropic answers for a thread that cannot be gone on with, by whose `error_code` its SDKs start a new one
 */
export function withThread({ collection }, { thread, ...body }) {
  if (thread === undefined || thread === null || thread.type === 'create') return body;
  if (thread.type !== 'continue')
    throw invalid(`thread: Input tag '${String(thread.type)}' is neither 'create' nor 'continue'`);
  const { previous_message_id: id } = thread;
  const rows = collection(ROWS);
  if (typeof id !== 'string' || !rows.has(id))
    throw refused(404, `thread: there is no thread with the message '${String(id)}'`, 'thread_not_found');
  const { system, tools, messages, isContinued } = rows.get(id);
  if (isContinued === true)
    throw refused(409, `thread: the message '${id}' was continued already`, 'thread_already_continued');
  for (const name of ['system', 'tools'])
    if (body[name] !== undefined) throw invalid(`${name}: a thread keeps those that it was created with`);
  const added = body.messages ?? [];
  if (!Array.isArray(added)) throw invalid('messages: Input should be a valid list');
  return {
    ...body,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages: [...messages, ...added],
  };
}

/** Keeps the conversation, with its answer, for the next call of the thread. */
export function keepThread({ collection }, { thread }, { system, tools, messages }, { id, content }) {
  if (thread === undefined || thread === null) return;
  const rows = collection(ROWS);
  // Of what was gone on with only the id is of use: the next message has all that was said.
  const before = thread.previous_message_id;
  if (before !== undefined) rows.replace(before, { id: before, isContinued: true });
  rows.create({ id, system, tools, messages: [...messages, { role: 'assistant', content }] });
}

function refused(status, message, code) {
  const error = new AnthropicError(status, message);
  error.details = { error_code: code };
  return error;
}
