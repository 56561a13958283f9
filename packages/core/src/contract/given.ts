import type { MockFields, SettingsFields, StartTlsFields, StreamFaultFields } from './fields.generated.js';
import type { Json } from './json.js';
import type { FunctionName, RespondFunction } from './respond.js';
import type { CoreFault, CoreMock } from './shape.js';

export type { Json } from './json.js';

/** A stored mock of any kind. */
export type StoredMock = CoreMock & Json;

/** A type whose lists and objects may be read-only, as values that are given may be. */
export type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends (...given: never[]) => unknown
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Given<T[Key]> }
      : T;

/** A mock as it is given, of what a schema says of the kind's own fields. */
export type GivenMock<Own, Answer = never, Field extends string = never> = MockFields &
  Given<Own> &
  ([Field] extends [never] ? unknown : { readonly respond?: RespondFunction<Answer> | FunctionName });

/** A fault as it is given, of what a schema says of the kind's own fields. */
export type GivenFault<Own> = StreamFaultFields & Given<Own>;

/** An item of a list as it is given, of what its schema says. */
export type GivenItem<Own> = { readonly id?: string } & Given<Own>;

/** A kind's settings as they are given: those of all kinds, its own, and its lists of mocks and items. */
export type GivenSettings<Own, List extends string, Mock, Items> = SettingsFields & {
  readonly tls?: StartTlsFields;
} & Given<Own> & { readonly [Key in List]?: readonly Mock[] } & ([Items] extends [never]
    ? unknown
    : { readonly [Key in keyof Items]?: readonly Items[Key][] });

/** A mock as it is given. */
export type NewMock<Mock = unknown> = Mock;

/** A mock as it is stored: with the kind's own fields where they are known. */
export type StoredMockOf<Mock = unknown> = unknown extends Mock
  ? StoredMock
  : Omit<Mock, 'respond'> & Pick<CoreMock, 'id' | 'respond'>;

/** A fault as it is given. */
export type NewFault<Fault = unknown> = Fault;

/** An item of a list as it is given. */
export type NewItem<Item = unknown> = Item;

/** An item of a list as it is stored: with the kind's own fields where they are known. */
export type StoredItem<Item = unknown> = unknown extends Item ? Json : Item & { readonly id: string };

/** A fault of any kind, as it was given. */
export type StoredFault = CoreFault & Json;
