import { writeNullable, writeString } from '../wire/encode.js';
import { countLines } from './find-bytes.js';
import { writeEnvelope } from './envelope.js';
import { parseParameterised, type Parameterised } from './parameters.js';
import type { Part } from './part.js';

/**
 * BODYSTRUCTURE, or BODY, which is the same without extension data (RFC 3501, section 7.4.2). Yields now and then, see
 * `runInSlices`.
 *
 * @param isExtended - true for BODYSTRUCTURE
 */
export function* writeBodyStructure(
  raw: Buffer,
  part: Part,
  isExtended: boolean,
): Generator<undefined, string> {
  const { header, contentType } = part;
  const language = header.get('content-language');
  const tail = `${writeDisposition(header.get('content-disposition'))} ${writeLanguages(language)} ${writeNullable(header.get('content-location'))}`;
  if (part.parts.length > 0) {
    let inside = '';
    for (const each of part.parts) {
      inside += yield* writeBodyStructure(raw, each, isExtended);
      yield;
    }
    const extension = isExtended ? ` ${writeParameters(contentType)} ${tail}` : '';
    return `(${inside} ${writeString(part.subtype)}${extension})`;
  }
  const fields = [
    writeString(part.type),
    writeString(part.subtype),
    writeParameters(part.type === 'text' ? withCharset(contentType) : contentType),
    writeNullable(header.get('content-id')),
    writeNullable(header.get('content-description')),
    writeString(part.encoding === '' ? '7bit' : part.encoding),
    String(part.end - part.bodyStart),
  ];
  if (part.message !== undefined) {
    fields.push(
      yield* writeEnvelope(part.message.header),
      yield* writeBodyStructure(raw, part.message, isExtended),
      String(yield* countLines(raw, part.bodyStart, part.end)),
    );
  } else if (part.type === 'text') fields.push(String(yield* countLines(raw, part.bodyStart, part.end)));
  if (isExtended) fields.push(writeNullable(header.get('content-md5')), tail);
  return `(${fields.join(' ')})`;
}

/** A text that names no charset is told to be in us-ascii, as other servers do. */
function withCharset(type: Parameterised): Parameterised {
  if (type.parameters.some(([name]) => name.toLowerCase() === 'charset')) return type;
  return { ...type, parameters: [...type.parameters, ['charset', 'us-ascii']] };
}

function writeParameters({ parameters }: Parameterised): string {
  if (parameters.length === 0) return 'NIL';
  return `(${parameters.map(([name, value]) => `${writeString(name)} ${writeString(value)}`).join(' ')})`;
}

function writeDisposition(field: string | undefined): string {
  if (field === undefined) return 'NIL';
  const disposition = parseParameterised(field);
  return disposition.value === ''
    ? 'NIL'
    : `(${writeString(disposition.value)} ${writeParameters(disposition)})`;
}

function writeLanguages(field: string | undefined): string {
  const languages = (field ?? '').split(',').map((tag) => tag.trim());
  if (languages.every((tag) => tag === '')) return 'NIL';
  return `(${languages.map(writeString).join(' ')})`;
}
