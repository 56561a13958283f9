import type { ContractViolation, ImportFile } from '@backlot/core/plugin';
import { isTree, listOf, memberOf, pointTo, treeOf, type Tree } from '../shared/values.js';
import { checkBody, contentFor, isJson, typeIn, type PartFindings, type Content } from './bodies.js';
import type { ApiTools, Operation } from './document.js';
import { shownValue, type AnswerFindings, type ApiAnswer } from './messages.js';
import { typesOf, valueOfText } from './texts.js';
import { UNCHECKED } from '../schema/checks.js';

/** One of the responses of an operation. */
export interface ApiResponse {
  /** The status as the document writes it. */
  readonly written: string;
  readonly tree: Tree;
  readonly document: ImportFile;
}

/** The response of an operation for a status; `undefined` when it has none. */
export function responseFor(operation: Operation, status: number, tools: ApiTools): ApiResponse | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  const written =
    operation.statuses.find((one) => one === String(status)) ??
    operation.statuses.find((one) => one.toUpperCase() === range) ??
    operation.statuses.find((one) => one === 'default');
  return written === undefined ? undefined : responseAt(operation, written, tools);
}

/** The response that the document writes with this status. */
export function responseAt(operation: Operation, written: string, { references }: ApiTools): ApiResponse {
  const { tree, document } = operation;
  const responses = references.follow({ value: tree['responses'], document });
  const response = references.follow({
    value: memberOf(responses.value, written),
    document: responses.document,
  });
  return { written, tree: treeOf(response.value), document: response.document };
}

/** What the body of a response may be; empty when the document says nothing of one. */
export function responseContents(
  { tree, document }: ApiResponse,
  operation: Operation,
  { isSwagger, root }: ApiTools,
): readonly Content[] {
  if (!isSwagger)
    return Object.entries(treeOf(tree['content'])).map(([type, media]) => ({
      type,
      media: treeOf(media),
      document,
    }));
  if (tree['schema'] === undefined) return [];
  const examples = treeOf(tree['examples']);
  const produces = listOf(operation.tree['produces'] ?? root['produces']).filter(
    (one) => typeof one === 'string',
  );
  const types = [...new Set([...produces, ...Object.keys(examples)])];
  return (types.length === 0 ? ['application/json'] : types).map((type) => ({
    type,
    media: {
      schema: tree['schema'],
      ...(Object.hasOwn(examples, type) ? { example: examples[type] } : {}),
    },
    document,
  }));
}

/** What is wrong with an answer of an operation. */
export function checkResponse(operation: Operation, answer: ApiAnswer, tools: ApiTools): AnswerFindings {
  const { status, headers, body } = answer;
  const response = responseFor(operation, status, tools);
  if (response === undefined) {
    const known = operation.statuses.join(', ') || 'none';
    const message = `must be a status of ${operation.name}, which has ${known}`;
    return { violations: [{ in: 'answer', path: '/status', message, value: status }] };
  }
  tools.checks.begin();
  const ofHeaders = checkHeaders(response, answer, tools);
  const violations: ContractViolation[] = [...ofHeaders.violations];
  const contents = responseContents(response, operation, tools);
  const hasBody = body !== undefined && body.length > 0;
  const type = typeIn(headers);
  let isUnchecked = ofHeaders.isUnchecked === true;
  if (hasBody && contents.length > 0) {
    const content = contentFor(contents, type);
    if (content === undefined)
      violations.push({
        in: 'answer',
        path: '/headers/content-type',
        message: `must be ${contents.map((one) => one.type).join(' or ')}`,
        value: type,
      });
    else {
      const ofBody = checkBody(content, type, body, 'answer', tools);
      isUnchecked ||= ofBody.isUnchecked === true;
      violations.push(...ofBody.violations);
    }
  } else if (
    !hasBody &&
    operation.method !== 'HEAD' &&
    contents.some(
      ({ type: one, media }) =>
        isJson(one.split(';', 1)[0]?.toLowerCase() ?? '') && media['schema'] !== undefined,
    )
  ) {
    // A body of JSON cannot be empty; one of other types may be.
    if (status !== 204 && status !== 304)
      violations.push({ in: 'answer', path: '/body', message: 'must be there' });
  }
  return { answer: response.written, violations, ...(isUnchecked ? { isUnchecked } : {}) };
}

function checkHeaders(
  { tree, document }: ApiResponse,
  { headers }: ApiAnswer,
  { references, checks, isSwagger }: ApiTools,
): PartFindings {
  const found: ContractViolation[] = [];
  for (const [name, given] of Object.entries(treeOf(tree['headers'])).slice(0, 100)) {
    const { value: header, document: where } = references.follow({ value: given, document });
    const key = name.toLowerCase();
    if (!isTree(header) || key === 'content-type') continue;
    const path = pointTo('/headers', key);
    const value = headers[key];
    if (value === undefined) {
      if (header['required'] === true) found.push({ in: 'answer', path, message: 'must be there' });
      continue;
    }
    const schema = isSwagger ? header : header['schema'];
    const types = typesOf(schema, where, references);
    // Lists and objects have several writings in headers.
    if (types.has('array') || types.has('object')) continue;
    const text = String([value].flat()[0] ?? '');
    const fault = checks.findFurther(schema, where, 'answer', valueOfText(text, types));
    if (fault === UNCHECKED) return { violations: found, isUnchecked: true };
    if (fault !== undefined)
      found.push({ in: 'answer', path, message: fault.message, ...shownValue(fault.value) });
  }
  return { violations: found };
}
