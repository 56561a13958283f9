import { readPartViews, type PartView } from '../mime/parts.js';
import { parseForm } from './form.js';
import { nestFields } from './nested-fields.js';
import type { Fields } from './query.js';

/** What templates see of a body by its content type, beside its text and its JSON. */
export type BodyViews = {
  /** The fields of a form, flat and nested. */
  readonly form: Readonly<Record<string, unknown>>;
  /** The parts of a multipart body, by number and by name; `undefined` when it is none. */
  readonly parts: readonly PartView[] | undefined;
};

/**
 * The views of a body, as own properties, each made when it is first read.
 *
 * @param contentType - its media type with the parameters
 * @param fields - gives the fields of a form, where somebody may have read them already
 * @param partViews - gives the parts likewise
 */
export function viewBody(
  contentType: string | undefined,
  body: Uint8Array | string | undefined,
  fields: () => Fields = () => parseForm(contentType, bytesOf(body)),
  partViews: () => BodyViews['parts'] = () => readPartViews(contentType, bytesOf(body)),
): BodyViews {
  let form: BodyViews['form'] | undefined;
  let parts: readonly [BodyViews['parts']] | undefined;
  return {
    get form() {
      return (form ??= nestFields(fields()));
    },
    get parts() {
      return (parts ??= [partViews()])[0];
    },
  };
}

function bytesOf(body: Uint8Array | string | undefined): Buffer {
  if (body === undefined || typeof body === 'string') return Buffer.from(body ?? '');
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
