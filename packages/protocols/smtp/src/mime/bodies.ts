import { decodeContent, decoderFor } from '@backlot/kit';
import { decodeWords } from 'postal-mime';
import type { Mail } from '../schemas.js';
import type { Leaf } from './leaves.js';
import { unflow } from './unflow.js';

/** What the parts of a mail hold. */
export type Bodies = Pick<Mail, 'text' | 'html' | 'attachments'>;

/** Decodes texts, and measures what is attached. Yields now and then, see `runInSlices`. */
export function* readBodies(raw: Buffer, leaves: readonly Leaf[]): Generator<undefined, Bodies> {
  const plain: string[] = [];
  const html: string[] = [];
  const attachments: Mail['attachments'][number][] = [];
  for (const leaf of leaves) {
    const { value } = leaf.type;
    if (!isAttached(leaf)) {
      const text = yield* readText(raw, leaf);
      (value === 'text/html' ? html : plain).push(text);
    } else {
      let size = 0;
      yield* decodeContent(raw, leaf, (piece) => {
        size += piece.length;
      });
      attachments.push({ filename: nameOf(leaf), content_type: value, size });
    }
    yield;
  }
  return { ...named('text', plain), ...named('html', html), attachments };
}

/** Whether a part is no text of the mail itself. */
export function isAttached({ type: { value }, disposition }: Leaf): boolean {
  return (value !== 'text/plain' && value !== 'text/html') || disposition.value === 'attachment';
}

function* readText(raw: Buffer, leaf: Leaf): Generator<undefined, string> {
  const { parameters } = leaf.type;
  const decoder = decoderFor(parameters.get('charset'));
  let text = '';
  yield* decodeContent(raw, leaf, (piece) => {
    text += decoder.decode(piece, { stream: true });
  });
  text += decoder.decode();
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return text;
  return yield* unflow(text, parameters.get('delsp')?.toLowerCase() === 'yes');
}

/** The decoded name of a part; empty when it has none. */
export function nameOf({ type, disposition }: Leaf): string {
  const name = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? '';
  return name.includes('=?') ? decodeWords(name) : name;
}

function named(name: 'text' | 'html', texts: readonly string[]): Partial<Bodies> {
  const text = texts.join('\n');
  return text === '' ? {} : { [name]: withoutLineEnd(text) };
}

/** The line end in front of a boundary, or of the end of the data, is no part of the text (RFC 2046, 5.1.1). */
export function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
