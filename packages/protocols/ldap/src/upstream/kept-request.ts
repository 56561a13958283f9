import { isSecretName, redactText } from '@backlot/kit/upstream';
import { formatRequest, type EntryRequest } from '../operations/write.js';
import type { GivenAttribute } from '../wire/library.js';
import { redactValue } from './read-answer.js';

/** A part of a filter with an attribute that is compared with a value. */
const ITEM = /\(([^()=<>~:]+)((?::[^()=]*)?[~<>:]?=)([^()]*)\)/g;

/** A filter as the journal keeps it. */
export function redactFilter(filter: string): string {
  return redactText(
    filter.replaceAll(ITEM, (whole, name: string, sign: string, value: string) =>
      value !== '*' && isSecretName(name.split(';', 1)[0] ?? '') ? `(${name}${sign}REDACTED)` : whole,
    ),
  );
}

/** What an operation on an entry holds, as the journal keeps it. */
export function formatKept(request: EntryRequest): string {
  switch (request.type) {
    case 'add':
      return formatRequest({ ...request, attributes: request.attributes.map(redactAttribute) });
    case 'modify':
      return formatRequest({
        ...request,
        changes: request.changes.map(({ kind, attribute }) => ({
          kind,
          attribute: redactAttribute(attribute),
        })),
      });
    case 'compare':
      return formatRequest({ ...request, value: redactValue(request.attribute, request.value) });
    default:
      return redactText(formatRequest(request));
  }
}

function redactAttribute({ name, values }: GivenAttribute): GivenAttribute {
  return { name, values: values.map((value) => redactValue(name, value)) };
}
