import { invalid, isObject } from './api.mjs';

const COUNTED = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
];
const KNOWN = [
  ...COUNTED,
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'service_tier',
];
const MIN_BUDGET = 1024;
const THINKING = ['enabled', 'adaptive', 'disabled'];

/**
 * What is asked, in the shape of no service.
 *
 * @param options - `isCounted`: only tokens are asked for, which needs no `max_tokens`
 * @throws what Anthropic answers for what is not valid
 */
export function readConversation(body, model, { isCounted = false } = {}) {
  const known = isCounted ? COUNTED : KNOWN;
  const other = Object.keys(body).find((name) => !known.includes(name));
  if (other !== undefined) throw invalid(`${other}: Extra inputs are not permitted`);
  const limits = isCounted ? {} : readLimits(body, model);
  const { format } = body.output_config ?? {};
  if (isObject(format) && format.type !== 'json_schema')
    throw invalid(`output_config.format.type: Input should be 'json_schema', not '${String(format.type)}'`);
  return {
    model: model.id,
    system: textOf(body.system, 'system'),
    messages: readMessages(body.messages),
    ...readTools(body),
    ...limits,
    ...(isObject(format) ? { schema: format.schema ?? {} } : {}),
    isThinking: readThinking(body),
  };
}

function readLimits({ max_tokens: limit, stop_sequences: stop = [], temperature, stream }, model) {
  if (limit === undefined) throw invalid('max_tokens: Field required');
  if (!Number.isInteger(limit)) throw invalid('max_tokens: Input should be a valid integer');
  if (limit < 1) throw invalid('max_tokens: Input should be greater than or equal to 1');
  if (limit > model.max_tokens)
    throw invalid(
      `max_tokens: ${limit} > ${model.max_tokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    );
  if (!Array.isArray(stop)) throw invalid('stop_sequences: Input should be a valid array');
  if (stop.some((end) => typeof end !== 'string' || end.trim() === ''))
    throw invalid('stop_sequences: each stop sequence must contain non-whitespace');
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 1))
    throw invalid('temperature: range: 0..1');
  if (stream !== undefined && typeof stream !== 'boolean')
    throw invalid('stream: Input should be a valid boolean');
  return { limit, stop };
}

function readThinking({ thinking, max_tokens: limit }) {
  if (thinking === undefined) return false;
  const { type, budget_tokens: budget } = thinking ?? {};
  if (!THINKING.includes(type))
    throw invalid(
      `thinking: Input tag '${String(type)}' does not match any of the expected tags: ${THINKING.map((one) => `'${one}'`).join(', ')}`,
    );
  if (type === 'enabled') {
    if (!Number.isInteger(budget)) throw invalid('thinking.enabled.budget_tokens: Field required');
    if (budget < MIN_BUDGET)
      throw invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`);
    if (limit <= budget) throw invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  return type !== 'disabled';
}

function readMessages(messages) {
  if (messages === undefined) throw invalid('messages: Field required');
  if (!Array.isArray(messages)) throw invalid('messages: Input should be a valid list');
  if (messages.length === 0) throw invalid('messages: at least one message is required');
  let open = new Map();
  const read = messages.map((message, index) => {
    const { role, content } = message ?? {};
    const at = `messages.${index}`;
    if (role === 'system')
      throw invalid(
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      );
    if (role !== 'user' && role !== 'assistant')
      throw invalid(`${at}.role: Input should be 'user' or 'assistant'`);
    if (index === 0 && role !== 'user') throw invalid('messages: first message must use the "user" role');
    if (content === undefined) throw invalid(`${at}.content: Field required`);
    const results = resultsOf(content, at, open);
    const missing = [...open.keys()].filter((id) => !results.some((result) => result.tool_use_id === id));
    if (missing.length > 0)
      throw invalid(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const tool = open.get(results.at(-1)?.tool_use_id);
    open = role === 'assistant' ? callsOf(content) : new Map();
    return { role, text: textOf(content, `${at}.content`), ...(tool === undefined ? {} : { tool }) };
  });
  if (open.size > 0)
    throw invalid(
      `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open.keys()].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  return read;
}

function callsOf(content) {
  const calls = blocksOf(content).filter((block) => block?.type === 'tool_use');
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function resultsOf(content, at, open) {
  const results = [];
  for (const [index, block] of blocksOf(content).entries()) {
    if (block?.type !== 'tool_result') continue;
    if (!open.has(block.tool_use_id))
      throw invalid(
        `${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(block.tool_use_id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    results.push(block);
  }
  return results;
}

function blocksOf(content) {
  return Array.isArray(content) ? content : [];
}

const BLOCKS = [
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'search_result',
];
const MAX_DEPTH = 4;

/** The text of a message; of several blocks those that are text, and the results of tools. */
function textOf(content, at, depth = 0) {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || depth > MAX_DEPTH)
    throw invalid(`${at}: Input should be a valid string or a list of content blocks`);
  return content.map((block, index) => blockText(block, `${at}.${index}`, depth)).join('');
}

function blockText(block, at, depth) {
  const { type, text, content } = block ?? {};
  if (!BLOCKS.includes(type))
    throw invalid(
      `${at}: Input tag '${String(type)}' does not match any of the expected tags: ${BLOCKS.map((one) => `'${one}'`).join(', ')}`,
    );
  if (type === 'tool_result') return textOf(content, `${at}.content`, depth + 1);
  if (type !== 'text') return '';
  if (typeof text !== 'string') throw invalid(`${at}.text.text: Field required`);
  if (text === '') throw invalid('messages: text content blocks must be non-empty');
  return text;
}

function readTools({ tools = [], tool_choice: choice }) {
  if (!Array.isArray(tools)) throw invalid('tools: Input should be a valid list');
  const read = tools.map((tool, index) => {
    if (!isObject(tool)) throw invalid(`tools.${index}: Input should be a valid dictionary`);
    const { type = 'custom', name, input_schema: schema, description } = tool;
    if (type !== 'custom')
      throw invalid(
        `tools.${index}: tools of the type '${String(type)}', which run at Anthropic, are not mocked; those of the type 'custom' are`,
      );
    if (typeof name !== 'string' || !/^[\w-]{1,128}$/.test(name))
      throw invalid(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (!isObject(schema)) throw invalid(`tools.${index}.custom.input_schema: Field required`);
    return { name, description, schema };
  });
  if (new Set(read.map(({ name }) => name)).size < read.length)
    throw invalid('tools: Tool names must be unique.');
  switch (choice?.type) {
    case undefined:
    case 'auto':
      return { tools: read };
    case 'none':
      return { tools: [] };
    case 'any':
      if (read.length === 0)
        throw invalid('tool_choice.any: tool_choice may only be specified while providing tools');
      return { tools: read, force: true };
    case 'tool':
      if (!read.some(({ name }) => name === choice.name))
        throw invalid(`tool_choice: Tool '${String(choice.name)}' not found in provided tools`);
      return { tools: read, force: choice.name };
    default:
      throw invalid(
        `tool_choice: Input tag '${String(choice.type)}' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
      );
  }
}
