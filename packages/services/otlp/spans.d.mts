import type { Span } from '@backlot/core';

/** An answer of HTTP, in the encoding of the request. */
export interface ExportAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** An export of traces: the bytes, and what they are as JSON where they are that. */
export interface TraceExport {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly tree?: unknown;
}

/** Takes an export of traces; it yields between spans. */
export function takeSpans(
  request: TraceExport,
  add: (span: Span) => void,
): Generator<undefined, ExportAnswer>;
