import type { Protocol, ProtocolTypes } from './protocol.js';
import type { CoreConfig, CoreFault, CoreMock } from './shape.js';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A stored mock of any kind. */
export type StoredMock = CoreMock & Json;

/** A type whose lists and objects may be read-only, as values that are given may be. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T;

/** A mock as it is given: with the kind's own fields where they are known. */
export type NewMock<Mock = unknown> = unknown extends Mock
  ? unknown
  : Omit<CoreMock, 'id'> & { readonly id?: string } & Given<Mock>;

/** A mock as it is stored: with the kind's own fields where they are known. */
export type StoredMockOf<Mock = unknown> = unknown extends Mock ? StoredMock : CoreMock & Mock;

/** A fault as it is given: with the kind's own fields where they are known. */
export type NewFault<Fault = unknown> = unknown extends Fault ? unknown : CoreFault & Given<Fault>;

/** The settings of one kind: the fields of all kinds, its own, and its lists of mocks and items. */
export type KindSettings<Types extends ProtocolTypes = ProtocolTypes> = unknown extends Types['mock']
  ? Json
  : Partial<Pick<CoreConfig, 'enabled' | 'host' | 'port' | 'tls'>> &
      Given<Types['config']> & {
        readonly [List in Types['list']]?: readonly NewMock<Types['mock']>[];
      } & { readonly [List in keyof Types['items']]?: readonly NewItem<Types['items'][List]>[] };

/** An item of a second collection as it is given: with the kind's own fields where they are known. */
export type NewItem<Item = unknown> = unknown extends Item ? unknown : { readonly id?: string } & Given<Item>;

/** An item of a second collection as it is stored: with the kind's own fields where they are known. */
export type StoredItem<Item = unknown> = unknown extends Item ? Json : { readonly id: string } & Item;

/** The types of a declaration's values. */
export type TypesOf<P extends Protocol> = NonNullable<P['types']>;

/** The settings of several protocols, by kind. */
export type SettingsOf<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? Readonly<Record<string, Json | undefined>>
  : { readonly [One in P[number] as One['kind']]?: KindSettings<TypesOf<One>> };

/** A fault of any kind, as it was given. */
export type StoredFault = CoreFault & Json;
