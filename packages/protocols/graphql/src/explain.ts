import { invalid, type Problem } from '@backlot/core/plugin';
import { chooseOperation, type Operation, type OperationType } from './document/operation.js';
import { readDocument } from './document/read-document.js';
import { GraphqlMessage } from './message.js';

const TYPES: readonly string[] = ['query', 'mutation', 'subscription'];

type Entry = Readonly<Record<string, unknown>>;

/**
 * Makes an operation of what `POST /api/explain/graphql` is given: `method` (the type), `path` (the name), `body` (the
 * document), `variables` (or `query.variables` as JSON, as the journal shows them) and `headers`.
 *
 * @throws BacklotError `invalid` with a problem per field
 */
export function explainMessage(entry: Entry): GraphqlMessage {
  const problems: Problem[] = [];
  const operation = readOperation(entry, problems);
  const variables = readVariables(entry, problems);
  const headers = Object.entries(readObject(entry['headers'], '/headers', problems) ?? {});
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  return new GraphqlMessage({
    operation,
    query: typeof entry['body'] === 'string' ? entry['body'] : '',
    variables,
    rawHeaders: headers.flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((each) => [name, String(each)]),
    ),
    remote: '',
    transport: 'http',
    size: 0,
  });
}

function readOperation({ method, path, body }: Entry, problems: Problem[]): Operation {
  const name = readText(path, '/path', problems);
  const text = readText(body, '/body', problems);
  const type = readText(method, '/method', problems);
  if (type !== undefined && !TYPES.includes(type)) {
    problems.push({
      path: '/method',
      message: `method is ${JSON.stringify(type)}; it must be query, mutation or subscription`,
    });
  }
  const given = { type: (type ?? 'query') as OperationType, name, metaFields: undefined };
  if (text === undefined) return given;
  try {
    const chosen = chooseOperation(readDocument(text), name);
    if (typeof chosen !== 'string') return type === undefined ? chosen : { ...chosen, type: given.type };
    problems.push({ path: '/path', message: chosen });
  } catch (thrown) {
    problems.push({ path: '/body', message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
  return given;
}

function readVariables(entry: Entry, problems: Problem[]): Entry | undefined {
  if (entry['variables'] !== undefined) return readObject(entry['variables'], '/variables', problems);
  const text = readObject(entry['query'], '/query', problems)?.['variables'];
  if (text === undefined) return undefined;
  try {
    return readObject(JSON.parse(typeof text === 'string' ? text : ''), '/query/variables', problems);
  } catch {
    problems.push({ path: '/query/variables', message: `${JSON.stringify(text)} is not JSON` });
    return undefined;
  }
}

function readText(value: unknown, path: string, problems: Problem[]): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  problems.push({ path, message: `${path.slice(1)} is ${JSON.stringify(value)}; it must be a text` });
  return undefined;
}

function readObject(value: unknown, path: string, problems: Problem[]): Entry | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Entry;
  problems.push({ path, message: `${path.slice(1)} must be an object` });
  return undefined;
}
