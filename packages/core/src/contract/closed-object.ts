import { Type, type ObjectOptions, type TObject, type TProperties } from '@sinclair/typebox';

/**
 * The schema of an object that has these properties and no others: what a person writes, where any other name is a mistake to be
 * told.
 *
 * @param properties - the schema of each, optional ones as `Type.Optional(...)`
 * @param options - what documents show of the object, such as its `description`
 */
export function closedObject<T extends TProperties>(properties: T, options: ObjectOptions = {}): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
