import type { Protocol, ProtocolTypes } from './protocol.js';
import type { MockFields, SettingsFields, StartTlsFields, StreamFaultFields } from './fields.generated.js';
import type { CoreFault, CoreMock } from './shape.js';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A stored mock of any kind. */
export type StoredMock = CoreMock & Json;

/** A type whose lists and objects may be read-only, as values that are given may be. */
export type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T;

/** A mock as it is given, of what a schema says of the kind's own fields. */
export type GivenMock<Own> = MockFields & Given<Own>;

/** A fault as it is given, of what a schema says of the kind's own fields. */
export type GivenFault<Own> = StreamFaultFields & Given<Own>;

/** An item of a second collection as it is given, of what its schema says. */
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
export type StoredMockOf<Mock = unknown> = unknown extends Mock ? StoredMock : Mock & Pick<CoreMock, 'id'>;

/** A fault as it is given. */
export type NewFault<Fault = unknown> = Fault;

/** The settings of one kind: the fields of all kinds, its own, and its lists of mocks and items. */
export type KindSettings<Types extends ProtocolTypes = ProtocolTypes> = unknown extends Types['config']
  ? Json
  : Types['config'];

/** An item of a second collection as it is given. */
export type NewItem<Item = unknown> = Item;

/** An item of a second collection as it is stored: with the kind's own fields where they are known. */
export type StoredItem<Item = unknown> = unknown extends Item ? Json : Item & { readonly id: string };

/** The types of a declaration's values. */
export type TypesOf<P extends Protocol> = NonNullable<P['types']>;

/** The settings of several protocols, by kind. */
export type SettingsOf<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? Readonly<Record<string, Json | undefined>>
  : { readonly [One in P[number] as One['kind']]?: KindSettings<TypesOf<One>> };

/** A fault of any kind, as it was given. */
export type StoredFault = CoreFault & Json;
