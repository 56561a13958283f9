import type { ImportFile } from '@backlot/core/plugin';
import { memberOf, pointTo, treeOf, type Tree } from '@backlot/contracts';
import { isJsonType } from '../shared/answer.js';
import type { OperationTools } from './operation-tools.js';

/** What a content holds. */
export interface ContentValue {
  /** `undefined` for an empty body. A text is a body of its own, unless the content is JSON. */
  readonly value: unknown;
  /** The name of the example that it is, where examples have names. */
  readonly example?: string;
}

/** What a content of a document may hold, the usual one first: its examples, else a value made from its schema. */
export function contentValues(
  media: Tree,
  type: string,
  document: ImportFile,
  place: string,
  { references, sampler, notes }: OperationTools,
): readonly ContentValue[] {
  if (media['example'] !== undefined) return [{ value: media['example'] }];
  const values: ContentValue[] = [];
  for (const [name, given] of Object.entries(treeOf(media['examples']))) {
    const { value: example } = references.follow({ value: given, document });
    const value = memberOf(example, 'value');
    if (value !== undefined) values.push({ value, example: name });
    else if (memberOf(example, 'externalValue') !== undefined)
      notes.refused(pointTo(pointTo(place, 'examples'), name), 'an example elsewhere is not fetched');
  }
  if (values.length > 0) return values;
  const schema = media['schema'];
  if (schema === undefined || memberOf(schema, 'format') === 'binary') return [{ value: undefined }];
  const sample = sampler.sample(schema, document, '');
  if (sample === undefined) {
    notes.approximated(place, 'no value was found that the schema allows; the body is empty');
    return [{ value: undefined }];
  }
  notes.approximated(place, 'bodies without an example are made from their schemas');
  if (typeof sample !== 'object' || isJsonType(type)) return [{ value: sample }];
  if (!/^text\/(plain|event-stream)|^\*\/\*/.test(type))
    notes.approximated(place, `a body of ${type} that is described by a schema alone is written as JSON`);
  return [{ value: JSON.stringify(sample) }];
}

/** A range of types as one of them. */
export function mediaType(written: string): string {
  const type = written.trim().toLowerCase();
  if (type === '*/*' || type === 'application/*' || !type.includes('/')) return 'application/json';
  return type.endsWith('/*') ? type.replace('/*', '/plain') : type;
}
