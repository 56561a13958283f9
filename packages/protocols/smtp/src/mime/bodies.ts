import { decodeContent, decoderFor } from '@backlot/kit';
import { decodeWords } from 'postal-mime';
import type { Mail } from '../schemas.js';
import type { Leaf } from './leaves.js';
import { DecodedText, type LongText } from './decoded-text.js';
import { PlainText } from './plain-text.js';
import { unflow } from './unflow.js';

/** Shorter texts are made at once. */
const LONG = 16 * 1024;

/** What the parts of a mail hold. */
export interface Bodies {
  /** Short texts, and what is attached. */
  readonly made: Pick<Mail, 'text' | 'html' | 'attachments'>;
  /** Long texts, which are made when somebody asks. */
  readonly long: { readonly text?: LongText; readonly html?: LongText };
}

/** Decodes texts, and measures what is attached. Yields now and then, see `runInSlices`. */
export function* readBodies(raw: Buffer, leaves: readonly Leaf[]): Generator<undefined, Bodies> {
  const attachments: Mail['attachments'][number][] = [];
  for (const leaf of leaves) {
    if (!isAttached(leaf)) continue;
    let size = 0;
    yield* decodeContent(raw, leaf, (piece) => {
      size += piece.length;
    });
    attachments.push({ filename: nameOf(leaf), content_type: leaf.type.value, size });
    yield;
  }
  const texts: Record<string, string> = {};
  const long: Record<string, LongText> = {};
  for (const name of ['text', 'html'] as const) {
    const text = yield* readTexts(
      raw,
      leaves.filter((leaf) => !isAttached(leaf) && (leaf.type.value === 'text/html') === (name === 'html')),
    );
    if (typeof text !== 'string') long[name] = text;
    else if (text !== '') texts[name] = withoutLineEnd(text);
  }
  return { made: { ...texts, attachments }, long };
}

/** Whether a part is no text of the mail itself. */
export function isAttached({ type: { value }, disposition }: Leaf): boolean {
  return (value !== 'text/plain' && value !== 'text/html') || disposition.value === 'attachment';
}

/** The texts of one kind, one behind the other. */
function* readTexts(raw: Buffer, leaves: readonly Leaf[]): Generator<undefined, string | LongText> {
  const [first] = leaves;
  const plain = first !== undefined && leaves.length === 1 ? yield* PlainText.of(raw, first) : undefined;
  if (plain !== undefined) return plain;
  const pieces: string[] = [];
  let length = 0;
  for (const leaf of leaves) {
    if (leaf !== first) pieces.push('\n');
    for (const piece of yield* readText(raw, leaf)) if (piece !== '') pieces.push(piece);
    yield;
  }
  for (const piece of pieces) length += piece.length;
  if (length < LONG) return pieces.join('');
  pieces.push(withoutLineEnd(pieces.pop() ?? ''));
  return new DecodedText(pieces);
}

/** A text in pieces. */
function* readText(raw: Buffer, leaf: Leaf): Generator<undefined, readonly string[]> {
  const { parameters } = leaf.type;
  const decoder = decoderFor(parameters.get('charset'));
  const pieces: string[] = [];
  yield* decodeContent(raw, leaf, (piece) => {
    pieces.push(decoder.decode(piece, { stream: true }));
  });
  pieces.push(decoder.decode());
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return pieces;
  return yield* unflow(pieces, parameters.get('delsp')?.toLowerCase() === 'yes');
}

/** The decoded name of a part; empty when it has none. */
export function nameOf({ type, disposition }: Leaf): string {
  const name = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? '';
  return name.includes('=?') ? decodeWords(name) : name;
}

/** The line end in front of a boundary, or of the end of the data, is no part of the text (RFC 2046, 5.1.1). */
export function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
