import type { NextMocks } from '../mocks/next-mocks.js';
import type { PreparedParts } from './snapshot-parts.js';

/** What was made ready of a kind before a snapshot is put back; nothing of what is little. */
export interface PreparedKind {
  readonly mocks?: NextMocks | undefined;
  readonly kept?: PreparedParts | undefined;
}
