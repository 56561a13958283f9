import type { Given, GivenFault, GivenItem, GivenMock, GivenSettings } from './given.js';
import type { ItemSchemas } from './item-lists.js';
import type { Protocol } from './protocol.js';
import type { AnswerOf } from './respond.js';
import type { TObject, TSchema, ValueOf } from './shape.js';

/** The items of lists as they are given. */
type ItemsOf<Items extends ItemSchemas> = [Items] extends [never]
  ? never
  : { readonly [Key in keyof Items]: GivenItem<ValueOf<Items[Key]>> };

/** A mock as it is given, with a function in place of the fields of its answer. */
type MockOf<Mock extends TObject, Field extends string, Direct extends string> = GivenMock<
  ValueOf<Mock>,
  AnswerOf<Given<ValueOf<Mock>>, Field, Direct>,
  Field
>;

/**
 * What `defineProtocol` gives: a declaration with the types that follow from its schemas. A declaration whose schemas are
 * so large that TypeScript cannot write their types into a declaration file is annotated with it.
 */
export type DeclaredProtocol<
  Name extends string,
  Config extends TObject,
  Mock extends TObject,
  Fault extends TObject,
  Capture extends TObject,
  Stream extends TSchema,
  Items extends ItemSchemas,
  List extends string,
  Field extends string,
  Direct extends string,
  Short extends TObject,
> = Protocol<{
  kind: Name;
  config: GivenSettings<
    ValueOf<Config>,
    List,
    MockOf<Mock, Field, Direct> | ([Short] extends [never] ? never : Given<ValueOf<Short>>),
    ItemsOf<Items>
  >;
  mock: MockOf<Mock, Field, Direct>;
  fault: [Fault] extends [never] ? never : GivenFault<ValueOf<Fault>>;
  capture: [Capture] extends [never] ? never : Given<ValueOf<Capture>>;
  stream: [Stream] extends [never] ? never : Given<ValueOf<Stream>>;
  list: List;
  items: ItemsOf<Items>;
}>;
