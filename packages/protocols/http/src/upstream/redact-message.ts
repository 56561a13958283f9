import { isUtf8 } from 'node:buffer';
import { runAtOnce } from '@backlot/core/plugin';
import {
  isSecretName,
  REDACTED,
  redactJsonSteps,
  redactPairsSteps,
  redactStringSteps,
  redactText,
} from '@backlot/kit/upstream';

/** The bytes of a body that are kept where only the log shows it, which shows less. */
const MAX_SHOWN = 128 * 1024;

/** A body without secrets, in steps. */
export function* redactBodySteps(body: Buffer, contentType = ''): Generator<undefined, Buffer> {
  if (body.length === 0) return body;
  // Any bytes are a text of this encoding, and the same bytes again.
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  const text = body.toString(encoding);
  const redacted = yield* redactContentSteps(text, contentType);
  return redacted === text ? body : Buffer.from(redacted, encoding);
}

/** The part of a body that the log shows, without secrets. */
export function shownBody(body: Buffer, contentType: string | undefined): Buffer {
  let end = Math.min(body.length, MAX_SHOWN);
  // A character of UTF-8 is not cut in two.
  if (end < body.length) while (((body[end] ?? 0) & 0xc0) === 0x80 && end > MAX_SHOWN - 4) end -= 1;
  return runAtOnce(redactBodySteps(body.subarray(0, end), contentType));
}

function* redactContentSteps(text: string, contentType: string): Generator<undefined, string> {
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return yield* redactPairsSteps(text);
  const boundary = /^multipart\/.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/is.exec(contentType);
  if (boundary !== null) return yield* redactPartsSteps(text, `--${boundary[1] ?? boundary[2]}`);
  if (/json|^text\/event-stream/i.test(contentType)) return yield* redactJsonSteps(text);
  return yield* redactStringSteps(text);
}

/** Each part of a multipart body as its own header says; one with a secret name as a whole. */
function* redactPartsSteps(text: string, boundary: string): Generator<undefined, string> {
  const parts: string[] = [];
  for (const part of text.split(boundary)) {
    yield undefined;
    const [gap = ''] = /\r?\n\r?\n/.exec(part) ?? [];
    const start = gap === '' ? part.length : part.indexOf(gap) + gap.length;
    const head = part.slice(0, start);
    const end = /\r?\n$/.exec(part.slice(start))?.[0] ?? '';
    const content = part.slice(start, part.length - end.length);
    const name = /;\s*name=(?:"([^"]*)"|([^\s;]+))/i.exec(head);
    const type = /^content-type:\s*(.*)$/im.exec(head)?.[1];
    const isSecret = name !== null && content !== '' && isSecretName(name[1] ?? name[2] ?? '');
    parts.push(
      redactText(head) + (isSecret ? REDACTED : yield* redactContentSteps(content, type ?? '')) + end,
    );
  }
  return parts.join(boundary);
}
