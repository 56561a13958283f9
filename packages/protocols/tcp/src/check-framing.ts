import { checkAt } from '@backlot/core/plugin';
import type { FramingFields } from './frames.js';

const NEEDS = [
  { field: 'delimiter', framing: 'delimiter', isRequired: true },
  { field: 'length_bytes', framing: 'length-prefix', isRequired: false },
  { field: 'frame_size', framing: 'fixed', isRequired: true },
] as const;

/** Refuses fields that mean nothing in the framing of the configuration, and a framing without the field that it needs. */
export function checkFraming(config: FramingFields): void {
  for (const { field, framing, isRequired } of NEEDS) {
    const isThere = config[field] !== undefined;
    const named = config.framing ?? (field === 'delimiter' ? 'delimiter' : undefined);
    if (isThere && named !== framing) {
      const got = config.framing === undefined ? 'there is none' : `it is "${config.framing}"`;
      fail(field, `is for "framing: ${framing}", and ${got}`);
    }
    if (isRequired && !isThere && config.framing === framing)
      fail('framing', `"${framing}" needs "${field}" beside it`);
  }
}

function fail(field: string, message: string): void {
  checkAt(`/${field}`, () => {
    throw new Error(message);
  });
}
