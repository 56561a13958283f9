import { isUtf8 } from 'node:buffer';
import { readJsonBody } from '@backlot/core/plugin';
import { splitParts, type Part } from './multipart.js';
import { readParameters } from './parameters.js';

/** RFC 2046, section 5.1.1. */
const MAX_BOUNDARY = 70;
const JSON_TYPE = /^[^;]*[/+]json\s*(?:;|$)/i;

/** A part of a multipart body, as templates see it. */
export interface PartView {
  readonly name?: string;
  readonly filename?: string;
  /** Its content type; `text/plain` when it has none. */
  readonly type: string;
  /** Its header lines by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The value of JSON when the type says so, else its text, or its bytes when they are no UTF-8. */
  readonly body: unknown;
}

/** A part of a form, with its bytes as they are. */
export interface FormPart {
  readonly name: string;
  /** Absent for a field that is no file. */
  readonly filename: string | undefined;
  /** Its content type; `text/plain` when it has none. */
  readonly type: string;
  readonly content: Buffer;
}

/** The parts of a multipart body that have a name, in their order (RFC 7578); none for another content type. */
export function* readFormParts(contentType: string | undefined, body: Buffer): Generator<FormPart, void> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return;
  for (const { head, content } of splitParts(body, boundary)) {
    const headers = readPartHeaders(head);
    const { name, filename } = namesOf(headers);
    if (name !== undefined)
      yield { name, filename, type: headers.get('content-type') ?? 'text/plain', content };
  }
}

/** The boundary of a multipart body; `undefined` for another content type. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^\s*multipart\//i.test(contentType)) return undefined;
  const boundary = readParameters(contentType).get('boundary') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY ? undefined : boundary;
}

/**
 * The parts of a multipart body of any kind: a list, in which a part is found by its name as well, the first of that name;
 * `undefined` for another content type.
 */
export function readPartViews(
  contentType: string | undefined,
  body: Buffer,
): readonly PartView[] | undefined {
  const steps = partViewSteps(contentType, body);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same, with a step after each part, for `runInSlices`. */
export function* partViewSteps(
  contentType: string | undefined,
  body: Buffer,
): Generator<undefined, readonly PartView[] | undefined> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return undefined;
  const views: PartView[] = [];
  for (const part of splitParts(body, boundary)) {
    views.push(viewOf(part));
    yield;
  }
  for (const view of [...views]) {
    const { name } = view;
    // A name such as `length` or `0` is what it is for lists.
    if (name !== undefined && !Object.hasOwn(views, name))
      Object.defineProperty(views, name, { value: view });
  }
  return views;
}

/** The header lines of a part by name in lower case; the first of a name counts. */
export function readPartHeaders(head: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let last: string | undefined;
  for (const line of head.toString('utf8').split('\r\n')) {
    // A header may go on in the next line, when that begins with white space.
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) headers.set(last, `${headers.get(last) ?? ''}${line}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    last = colon > 0 && !headers.has(name) ? name : undefined;
    if (last !== undefined) headers.set(last, line.slice(colon + 1).trim());
  }
  return headers;
}

function viewOf({ head, content }: Part): PartView {
  const headers = readPartHeaders(head);
  const { name, filename } = namesOf(headers);
  const type = headers.get('content-type') ?? 'text/plain';
  let body: readonly [unknown] | undefined;
  return {
    ...(name === undefined ? {} : { name }),
    ...(filename === undefined ? {} : { filename }),
    type,
    headers: Object.fromEntries(headers),
    get body() {
      return (body ??= [readContent(content, type)])[0];
    },
  };
}

function namesOf(headers: ReadonlyMap<string, string>): {
  readonly name: string | undefined;
  readonly filename: string | undefined;
} {
  const parameters = readParameters(headers.get('content-disposition') ?? '');
  const filename = extended(parameters.get('filename*')) ?? parameters.get('filename');
  return { name: parameters.get('name'), filename };
}

function readContent(content: Buffer, type: string): unknown {
  if (!isUtf8(content)) return content;
  const text = content.toString('utf8');
  const [value] = JSON_TYPE.test(type) ? readJsonBody(text, type) : [];
  return value === undefined ? text : value;
}

/** A parameter in another character set (RFC 8187): `UTF-8''na%C3%AFve.txt`. */
function extended(value: string | undefined): string | undefined {
  const found = value === undefined ? null : /^utf-8'[^']*'(.*)$/is.exec(value);
  if (found === null) return undefined;
  try {
    return decodeURIComponent(found[1] ?? '');
  } catch {
    return undefined;
  }
}
