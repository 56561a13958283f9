import { writeNullable, writeString } from '../wire/encode.js';
import { writeEnvelope } from './envelope.js';
import { parseParameterised, type Parameterised } from './parameters.js';
import type { Part } from './part.js';

const LF = 10;

/**
 * BODYSTRUCTURE, or BODY, which is the same without extension data (RFC 3501, section 7.4.2).
 *
 * @param isExtended - true for BODYSTRUCTURE
 */
export function writeBodyStructure(raw: Buffer, part: Part, isExtended: boolean): string {
  const { header, contentType } = part;
  const language = header.get('content-language');
  const tail = `${writeDisposition(header.get('content-disposition'))} ${writeLanguages(language)} ${writeNullable(header.get('content-location'))}`;
  if (part.parts.length > 0) {
    const inside = part.parts.map((each) => writeBodyStructure(raw, each, isExtended)).join('');
    const extension = isExtended ? ` ${writeParameters(contentType)} ${tail}` : '';
    return `(${inside} ${writeString(part.subtype)}${extension})`;
  }
  const fields = [
    writeString(part.type),
    writeString(part.subtype),
    header.get('content-type') === undefined && part.type === 'text'
      ? '("charset" "us-ascii")'
      : writeParameters(contentType),
    writeNullable(header.get('content-id')),
    writeNullable(header.get('content-description')),
    writeString(part.encoding === '' ? '7bit' : part.encoding),
    String(part.end - part.bodyStart),
  ];
  if (part.message !== undefined) {
    fields.push(
      writeEnvelope(part.message.header),
      writeBodyStructure(raw, part.message, isExtended),
      String(countLines(raw, part)),
    );
  } else if (part.type === 'text') fields.push(String(countLines(raw, part)));
  if (isExtended) fields.push(writeNullable(header.get('content-md5')), tail);
  return `(${fields.join(' ')})`;
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

function countLines(raw: Buffer, { bodyStart, end }: Part): number {
  let lines = 0;
  for (let at = raw.indexOf(LF, bodyStart); at >= 0 && at < end; at = raw.indexOf(LF, at + 1)) lines += 1;
  return lines;
}
