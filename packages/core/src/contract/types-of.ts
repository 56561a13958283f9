import type { Json } from './json.js';
import type { Protocol, ProtocolTypes } from './protocol.js';

/** The types of a declaration's values. */
export type TypesOf<P extends Protocol> = NonNullable<P['types']>;

/** The settings of several protocols, by kind. */
export type SettingsOf<P extends readonly Protocol[]> = string extends P[number]['kind']
  ? Readonly<Record<string, Json | undefined>>
  : { readonly [One in P[number] as One['kind']]?: KindSettings<TypesOf<One>> };

/** The settings of one kind: the fields of all kinds, its own, and its lists of mocks and items. */
export type KindSettings<Types extends ProtocolTypes = ProtocolTypes> = unknown extends Types['config']
  ? Json
  : Types['config'];
