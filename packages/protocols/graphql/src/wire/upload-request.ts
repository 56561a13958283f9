import { isUtf8 } from 'node:buffer';
import { readFormParts, type FormPart } from '@backlot/kit/http';
import { parseJson, readRequests, RequestProblem, type GraphqlRequest } from './graphql-request.js';

/** The most places of files in one request. */
const MAX_PLACES = 1000;

/** A file as mocks and templates see it, in its place among the variables. */
interface UploadedFile {
  readonly filename: string;
  /** Its content type. */
  readonly type: string;
  /** How many bytes it has. */
  readonly size: number;
  /** Its bytes as text, when they are UTF-8. */
  readonly text?: string;
  /** Its bytes as base64, when they are not. */
  readonly base64?: string;
}

/**
 * Reads a form with files, as the GraphQL multipart request specification has it: `operations` is the request, or a list
 * of them, and `map` says which places in it each of the further parts stands for.
 *
 * @throws RequestProblem
 */
export function readUploadRequest(
  contentType: string | undefined,
  body: Buffer,
): GraphqlRequest | readonly GraphqlRequest[] {
  const parts = new Map<string, FormPart>();
  for (const part of readFormParts(contentType, body)) if (!parts.has(part.name)) parts.set(part.name, part);
  const operations = readField(parts, 'operations');
  const map = readField(parts, 'map');
  if (!isObject(map)) throw new RequestProblem('map must be an object of lists with the places of each file');
  let count = 0;
  for (const [name, places] of Object.entries(map)) {
    const part = parts.get(name);
    if (part === undefined)
      throw new RequestProblem(`the form has no part ${JSON.stringify(name)}, which map names`);
    if (!Array.isArray(places))
      throw new RequestProblem(`map.${name} must be a list of places, such as variables.file`);
    const file = viewFile(part);
    for (const place of places as readonly unknown[]) {
      count += 1;
      if (count > MAX_PLACES) throw new RequestProblem(`map has more than ${MAX_PLACES} places`);
      putFile(operations, String(place), file);
    }
  }
  return readRequests(operations);
}

function readField(parts: ReadonlyMap<string, FormPart>, name: string): unknown {
  const part = parts.get(name);
  if (part === undefined) throw new RequestProblem(`the form has no field "${name}"`);
  if (!isUtf8(part.content)) throw new RequestProblem(`${name} is not UTF-8`);
  return parseJson(part.content.toString('utf8'), name);
}

/** Puts a file where `null` stands for it. */
function putFile(operations: unknown, place: string, file: UploadedFile): void {
  const steps = place.split('.');
  const last = steps.pop() ?? '';
  let around: unknown = operations;
  for (const step of steps)
    around = isContainer(around) && Object.hasOwn(around, step) ? around[step] : undefined;
  if (!isContainer(around) || !Object.hasOwn(around, last) || around[last] !== null)
    throw new RequestProblem(
      `there is no null at ${JSON.stringify(place)} in operations, where a file is to stand`,
    );
  around[last] = file;
}

function viewFile({ filename = '', type, content }: FormPart): UploadedFile {
  const bytes = isUtf8(content) ? { text: content.toString('utf8') } : { base64: content.toString('base64') };
  return { filename, type, size: content.length, ...bytes };
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isContainer(value) && !Array.isArray(value);
}
