import { countTokens, embed } from '../../llm/index.mjs';
import { invalid, modelOf, operation, OpenAIError } from './api.mjs';

const MAX_INPUTS = 2048;

export const list = operation(({ context }) => ({
  object: 'list',
  data: context.collection('openai:models').list(),
}));

export const retrieve = operation(({ request, context }) => {
  const { id } = request.params;
  const rows = context.collection('openai:models');
  if (rows.has(id)) return rows.get(id);
  throw new OpenAIError(404, `The model '${id}' does not exist`, { param: 'model', code: 'model_not_found' });
});

export const embeddings = operation(({ body, context }) => {
  const model = modelOf(context, body);
  const { input, encoding_format: format = 'float' } = body;
  const inputs = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > MAX_INPUTS)
    throw invalid(`'$.input' is invalid: expected a text, or a list of 1 to ${MAX_INPUTS} texts.`, 'input');
  const texts = inputs.map((text) => (typeof text === 'string' ? text : JSON.stringify(text)));
  const most = model.endsWith('large') ? 3072 : 1536;
  const { dimensions = most } = body;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > most)
    throw invalid(
      `Invalid value for 'dimensions' = ${String(dimensions)}. Must be from 1 to ${most}.`,
      'dimensions',
    );
  const data = texts.map((text, index) => {
    const numbers = embed(text, dimensions);
    const bytes = Buffer.from(Float32Array.from(numbers).buffer);
    return {
      object: 'embedding',
      index,
      embedding: format === 'base64' ? bytes.toString('base64') : numbers,
    };
  });
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
});
