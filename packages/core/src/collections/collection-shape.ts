import type { CollectionDefinition } from '../contract/collections.js';
import { invalid } from '../errors.js';
import { compileValue, type ValueTemplate } from '../templates/template.js';
import { pointTo } from '../validation/pointer.js';

/** What a collection makes of new rows. */
export interface CollectionShape {
  readonly key: string;
  readonly id: ValueTemplate | undefined;
  readonly set: readonly (readonly [string, ValueTemplate])[];
}

/** The shape of a collection that nobody has declared. */
export const PLAIN_SHAPE: CollectionShape = { key: 'id', id: undefined, set: [] };

/** What is compiled of a declaration. @throws BacklotError `invalid` with a problem for each template */
export function compileShape({ key = 'id', id, set }: CollectionDefinition): CollectionShape {
  const compile = (value: unknown, at: string): ValueTemplate => {
    try {
      return compileValue(value);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      throw invalid(message, [{ path: at, message }]);
    }
  };
  return {
    key,
    id: id === undefined ? undefined : compile(id, '/id'),
    set: Object.entries(set ?? {}).map(
      ([name, value]) => [name, compile(value, pointTo('/set', name))] as const,
    ),
  };
}
