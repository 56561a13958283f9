import type { DomainName } from './name.js';

/** A name inside record data that may be compressed (RFC 3597 section 4: only the types of RFC 1035 may be). */
export interface CompressibleName {
  readonly name: DomainName;
}

/** The data of one record. */
export interface RecordData {
  readonly type: number;
  /** What follows the length on the wire, in order. */
  readonly parts: readonly (Buffer | CompressibleName)[];
  /** As zone files have it, on one line. */
  readonly text: string;
}
