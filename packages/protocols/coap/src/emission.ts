import {
  checkAt,
  closedObject,
  givenBytesFields,
  invalid,
  readGivenBytes,
  Type,
  type EmissionDeclaration,
  type Json,
} from '@backlot/core/plugin';
import { Representation } from './representation.js';
import { CODE } from './wire/codes.js';
import { JSON_FORMAT, OCTETS_FORMAT, parseFormat, TEXT_FORMAT } from './wire/content-formats.js';

/** What the observers of a resource can be told, whatever its mock answers. */
export const EMISSION: EmissionDeclaration = {
  summary: 'Notifies the clients that observe a path (RFC 7641) of a new representation.',
  schema: closedObject({
    path: Type.String({
      pattern: '^/',
      description: 'The path that they observe, such as `/sensors/temperature`.',
    }),
    ...givenBytesFields('payload'),
    content_format: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.String({ minLength: 1 })], {
        description: 'The content format by number or name; absent: as the field of the payload says.',
      }),
    ),
  }),
  examples: [{ path: '/sensors/temperature', payload: '23.1 C' }],
};

/** The representation that is told. @throws BacklotError `invalid` */
export function emittedRepresentation(given: Json): Representation {
  const { content_format: format, json, payload_base64: base64 } = given;
  const bytes = readGivenBytes(given, 'payload');
  if (bytes.length === 0) {
    const message = 'observers would be told nothing: give payload, json or payload_base64';
    throw invalid(message, [{ path: '/payload', message }]);
  }
  const usual = json !== undefined ? JSON_FORMAT : base64 === undefined ? TEXT_FORMAT : OCTETS_FORMAT;
  const number =
    format === undefined ? usual : checkAt('/content_format', () => parseFormat(format as string | number));
  return new Representation(CODE.CONTENT, bytes, number);
}
