import { splitPointer } from '../config/pointer.js';
import type { WantedService } from './wanted.js';

/** Where a part of a merged configuration comes from: the file, at a pointer, or the file of a service. */
export type Origin =
  { readonly file: string } | { readonly service: WantedService; readonly pointer: string };

/** By the pointer of the part; what is not here stands in the file at the same place. */
export type Origins = Map<string, Origin>;

/** The longest part that begins with the field of the top and has an element of a list in it has so many names. */
const DEEPEST = 4;

/** Where what a pointer leads to comes from, with the pointer there; `undefined` for what is the file's own. */
export function originOf(origins: Origins, pointer: string): Origin | undefined {
  if (origins.size === 0) return undefined;
  const names = splitPointer(pointer).length;
  let part = pointer;
  for (let length = names; length > 0; length -= 1) {
    const found = length > DEEPEST ? undefined : origins.get(part);
    if (found !== undefined) {
      const rest = pointer.slice(part.length);
      return 'file' in found
        ? { file: found.file + rest }
        : { service: found.service, pointer: found.pointer + rest };
    }
    part = part.slice(0, part.lastIndexOf('/'));
  }
  return undefined;
}
