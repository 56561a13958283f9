import { GithubError, operation } from './api.mjs';
import { Execution, FieldProblem } from './execute.mjs';
import { parseQuery, SyntaxProblem } from './query.mjs';
import { SCHEMA } from './schema.mjs';

const ROOTS = { query: 'Query', mutation: 'Mutation' };

/** Answers an operation of GraphQL, on the same address as the rest. */
export const graphql = operation((call) => {
  const { query, variables = {}, operationName: wanted } = call.body;
  if (typeof query !== 'string' || query === '')
    throw new GithubError(400, 'A query attribute must be specified and must be a string.');
  try {
    const { operations, fragments } = parseQuery(query);
    const chosen =
      wanted === undefined || wanted === null
        ? operations[0]
        : operations.find(({ name }) => name === wanted);
    if (chosen === undefined) return { errors: [{ message: `No operation named "${wanted}"` }] };
    const { type, defaults = {}, required = [], selections } = chosen;
    const given = { ...defaults, ...variables };
    const missing = required.filter((name) => given[name] === undefined || given[name] === null);
    if (missing.length > 0)
      return {
        errors: missing.map((name) => ({
          extensions: { value: null },
          message: `Variable $${name} of a type with ! was provided invalid value`,
        })),
      };
    if (!Object.hasOwn(ROOTS, type))
      return { errors: [{ message: 'Schema is not configured for subscriptions' }] };
    const execution = new Execution(SCHEMA, fragments, given, call);
    const data = execution.run(ROOTS[type], selections);
    return {
      ...(data === undefined ? {} : { data }),
      ...(execution.errors.length === 0 ? {} : { errors: execution.errors }),
    };
  } catch (error) {
    if (error instanceof SyntaxProblem)
      return { errors: [{ message: error.message, extensions: { code: 'parseError' } }] };
    if (error instanceof FieldProblem) return { errors: [{ type: error.type, message: error.message }] };
    throw error;
  }
});
