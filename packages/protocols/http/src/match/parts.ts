import {
  LATER,
  pointTo,
  type CompileTools,
  type Miss,
  type PlaceCondition,
  type Pointer,
} from '@backlot/core/plugin';
import type { PartView } from '@backlot/kit/http';
import type { HttpMessage } from '../message.js';
import type { RequestFields } from '../schemas/request.js';

type Result = true | Miss | typeof LATER;

/** What a part has. */
const FIELDS: ReadonlySet<string> = new Set(['filename', 'type', 'headers', 'body', 'name']);

/** What the parts of a multipart body must be: each by its name, or its number. */
export function compileParts(
  parts: RequestFields['parts'],
  tools: CompileTools,
  at: Pointer,
): readonly ((message: HttpMessage) => Result)[] {
  return Object.entries(parts ?? {}).flatMap(([name, places]) => {
    const here = pointTo(at, name);
    const conditions = tools.places(places, here, { label: `part ${name}` });
    for (const { place, steps } of conditions) {
      if (!FIELDS.has(steps[0] ?? ''))
        tools.problem(
          pointTo(here, place),
          `a part has no "${place}"; it has filename, type, headers and body`,
        );
    }
    return conditions
      .filter(({ any }) => !any)
      .map((condition) => (message: HttpMessage) => testPart(message, name, condition));
  });
}

function testPart(message: HttpMessage, name: string, condition: PlaceCondition): Result {
  if (message.hasToWait('parts')) return LATER;
  const { parts } = message;
  const part = parts === undefined ? undefined : partOf(parts, name);
  const isBody = condition.steps[0] === 'body';
  const result = condition.test(part === undefined || !isBody ? part : readable(part), message);
  if (result === true || part !== undefined) return result;
  return `part ${name}: ${parts === undefined ? 'the body is not multipart' : 'there is no such part'}`;
}

function partOf(parts: readonly PartView[], name: string): PartView | undefined {
  if (name === 'length') return parts.find((part) => part.name === name);
  return Object.hasOwn(parts, name) ? (parts as unknown as Record<string, PartView>)[name] : undefined;
}

/** With a body of bytes as base64, as patterns see bytes everywhere. */
function readable(part: PartView): { readonly body: unknown } {
  const { body } = part;
  return body instanceof Uint8Array ? { body: Buffer.from(body).toString('base64') } : part;
}
