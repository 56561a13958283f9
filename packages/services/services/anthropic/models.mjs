import { AnthropicError, operation, page } from './api.mjs';

export const list = operation(({ request, context }) =>
  page(context.collection('anthropic:models').list(), request.query),
);

export const retrieve = operation(({ request, context }) => {
  const { id } = request.params;
  const rows = context.collection('anthropic:models');
  if (rows.has(id)) return rows.get(id);
  throw new AnthropicError(404, `model: ${id}`);
});
