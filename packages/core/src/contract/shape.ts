import type { StreamFaultFields } from './fields.generated.js';

export type { CoreConfig, CoreMock, TObject, TSchema, ValueOf } from './schema.js';

/** The fields that core adds to every fault, as they are stored. */
export type CoreFault = StreamFaultFields;
