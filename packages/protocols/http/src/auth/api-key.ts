import type { Pattern } from '@backlot/core/plugin';
import { valuesOf } from './credentials.js';
import type { CompiledAuth } from './types.js';

/** Where a key is looked for: a header (in lower case), a query parameter, or either. */
export interface KeyPlaces {
  readonly header: string | undefined;
  readonly query: string | undefined;
}

/** A key in a header or a query parameter. An empty key counts as absent. */
export function apiKeyAuth(places: KeyPlaces, key: Pattern): CompiledAuth {
  const { header, query } = places;
  const place = [
    ...(header === undefined ? [] : [`header ${header}`]),
    ...(query === undefined ? [] : [`query parameter ${query}`]),
  ].join(' or ');
  return {
    test(input) {
      let found = false;
      const fits = (value: string): boolean => {
        if (value === '') {
          return false;
        }
        found = true;
        return key.test(value, input.message);
      };
      if (header !== undefined && valuesOf(input.headers, header).some(fits)) {
        return true;
      }
      if (query !== undefined && valuesOf(input.query, query).some(fits)) {
        return true;
      }
      return found ? `API key in ${place} is not the one this mock wants` : `no API key in ${place}`;
    },
  };
}
