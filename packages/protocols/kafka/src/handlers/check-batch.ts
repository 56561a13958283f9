import { messageOf } from '@backlot/core/plugin';
import { isFramingError } from '@backlot/kit/framing';
import { MAX_BATCH } from '../broker/configs.js';
import { RETENTION } from '../broker/partition-log.js';
import { copyBatch, type RecordBatch } from '../wire/batch.js';
import { canDecompress } from '../wire/compression.js';
import { ERROR } from '../wire/errors.js';
import type { WireRecord } from '../wire/record.js';

/** A batch that can be stored, or why it cannot (Kafka documentation, "Record Batch"). */
export type Checked =
  | { readonly batch: RecordBatch; readonly records: readonly WireRecord[] }
  | { readonly errorCode: number; readonly errorMessage: string };

/** Reads what a client wants to have stored, in steps. */
export function* checkBatch(bytes: Buffer | null): Generator<undefined, Checked> {
  const refuse = (errorCode: number, errorMessage: string): Checked => ({ errorCode, errorMessage });
  if (bytes === null || bytes.length === 0) return refuse(ERROR.INVALID_RECORD, 'there is no record batch');
  if (bytes.length > MAX_BATCH) {
    return refuse(
      ERROR.MESSAGE_TOO_LARGE,
      `the batch has ${bytes.length} bytes; at most ${MAX_BATCH} (message.max.bytes) are taken`,
    );
  }
  try {
    // A copy, which becomes a part of the log: what was received is a part of a larger chunk.
    const batch = copyBatch(bytes);
    if (batch.magic !== 2) {
      return refuse(
        ERROR.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        `records of format ${batch.magic} are not taken; use record batches (format 2, Produce 3 and later)`,
      );
    }
    if (!batch.hasGoodChecksum) return refuse(ERROR.CORRUPT_MESSAGE, 'the checksum of the batch is wrong');
    if (batch.isControl) return refuse(ERROR.INVALID_RECORD, 'a client cannot produce control records');
    if (batch.count < 1 || batch.lastOffsetDelta !== batch.count - 1) {
      return refuse(
        ERROR.INVALID_RECORD,
        `a batch of ${batch.count} records cannot end with the offset ${batch.lastOffsetDelta} in it`,
      );
    }
    if (!canDecompress(batch.codec)) {
      return refuse(
        ERROR.UNSUPPORTED_COMPRESSION_TYPE,
        `compression ${batch.codec} cannot be read here; use none, gzip, snappy, lz4 or zstd`,
      );
    }
    if (batch.count > RETENTION.records) {
      return refuse(
        ERROR.RECORD_LIST_TOO_LARGE,
        `the batch has ${batch.count} records; a partition keeps ${RETENTION.records}`,
      );
    }
    return { batch, records: yield* batch.recordsInSteps() };
  } catch (thrown) {
    if (!isFramingError(thrown)) throw thrown;
    const isTooLarge = thrown.code === 'too_long';
    return refuse(isTooLarge ? ERROR.MESSAGE_TOO_LARGE : ERROR.CORRUPT_MESSAGE, messageOf(thrown));
  }
}
