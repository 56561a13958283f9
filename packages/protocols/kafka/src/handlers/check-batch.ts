import { messageOf } from '@backlot/core/plugin';
import { isFramingError } from '@backlot/kit/framing';
import { MAX_BATCH } from '../broker/configs.js';
import { RETENTION } from '../broker/partition-log.js';
import { copyBatch, RecordBatch } from '../wire/batch.js';
import { canDecompress } from '../wire/compression.js';
import { ERROR } from '../wire/errors.js';
import type { WireRecord } from '../wire/record.js';

/** A batch that can be stored, or why it cannot (Kafka documentation, "Record Batch"). */
export type Checked = { readonly batch: RecordBatch; readonly records: readonly WireRecord[] } | Refused;

/** Why a batch is not stored. */
interface Refused {
  readonly errorCode: number;
  readonly errorMessage: string;
}

/** Reads what a client wants to have stored. */
export function checkBatch(bytes: Buffer | null): Checked {
  try {
    const batch = openBatch(bytes);
    return batch instanceof RecordBatch ? { batch, records: batch.records() } : batch;
  } catch (thrown) {
    return refusalFor(thrown);
  }
}

/** {@link checkBatch} in steps between which others may be let in. */
export function* checkBatchInSteps(bytes: Buffer | null): Generator<undefined, Checked> {
  try {
    const batch = openBatch(bytes);
    return batch instanceof RecordBatch ? { batch, records: yield* batch.recordsInSteps() } : batch;
  } catch (thrown) {
    return refusalFor(thrown);
  }
}

/** A batch whose records can be read, or why they cannot. @throws FramingError when the bytes are no batch */
function openBatch(bytes: Buffer | null): RecordBatch | Refused {
  if (bytes === null || bytes.length === 0) return refuse(ERROR.INVALID_RECORD, 'there is no record batch');
  if (bytes.length > MAX_BATCH) {
    return refuse(
      ERROR.MESSAGE_TOO_LARGE,
      `the batch has ${bytes.length} bytes; at most ${MAX_BATCH} (message.max.bytes) are taken`,
    );
  }
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
  const { count } = batch;
  if (count < 1 || batch.lastOffsetDelta !== count - 1) {
    return refuse(
      ERROR.INVALID_RECORD,
      `a batch of ${count} records cannot end with the offset ${batch.lastOffsetDelta} in it`,
    );
  }
  if (!canDecompress(batch.codec)) {
    return refuse(
      ERROR.UNSUPPORTED_COMPRESSION_TYPE,
      `compression ${batch.codec} cannot be read here; use none, gzip, snappy, lz4 or zstd`,
    );
  }
  if (count > RETENTION.records) {
    return refuse(
      ERROR.RECORD_LIST_TOO_LARGE,
      `the batch has ${count} records; a partition keeps ${RETENTION.records}`,
    );
  }
  return batch;
}

function refuse(errorCode: number, errorMessage: string): Refused {
  return { errorCode, errorMessage };
}

function refusalFor(thrown: unknown): Refused {
  if (!isFramingError(thrown)) throw thrown;
  const isTooLarge = thrown.code === 'too_long';
  return refuse(isTooLarge ? ERROR.MESSAGE_TOO_LARGE : ERROR.CORRUPT_MESSAGE, messageOf(thrown));
}
