export type { CoreConfig, CoreMock, TObject, TSchema, ValueOf } from './schema.js';

/** The fields that core adds to every fault, as they are stored. */
export interface CoreFault {
  readonly delay?: string;
  readonly delay_range?: { readonly min: string; readonly max: string };
  readonly error_rate?: number;
  readonly enabled?: boolean;
  readonly phase?: 'message' | 'connect';
}
