import type { DescFile } from '@bufbuild/protobuf';
import {
  file_google_protobuf_any,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_type,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';
import { linkFiles, type Described } from './link.js';
import { runAtOnce } from './run-at-once.js';
import { Schema } from './schema.js';
import { ERROR_PROTOS, OWN_PROTOS } from './services.js';
import { symbolsOf } from './symbols.js';
import { readProto } from './text/read-proto.js';

/** The files of google/protobuf, which every schema may import; each after those it imports. */
const GOOGLE: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_timestamp,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_source_context,
  file_google_protobuf_wrappers,
  file_google_protobuf_struct,
  file_google_protobuf_type,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
];
const GOOGLE_NAMES: ReadonlySet<string> = new Set(GOOGLE.map(({ proto }) => proto.name));

let errors: Schema | undefined;

/** Whether a file is one of google/protobuf. */
export function isGoogleFile(name: string): boolean {
  return GOOGLE_NAMES.has(name);
}

/** A schema with the files of google/protobuf alone. */
export function googleSchema(): Schema {
  const schema = new Schema();
  for (const desc of GOOGLE) {
    schema.add({ proto: desc.proto, desc, symbols: new Map(symbolsOf(desc.proto)), bytes: undefined });
  }
  return schema;
}

/** The files of the server's own services. */
export function ownFiles(): readonly Described[] {
  return readAll(OWN_PROTOS);
}

/** The schema of error details. */
export function errorSchema(): Schema {
  if (errors !== undefined) return errors;
  errors = googleSchema();
  runAtOnce(linkFiles(readAll(ERROR_PROTOS), errors));
  return errors;
}

function readAll(protos: Readonly<Record<string, string>>): readonly Described[] {
  return Object.entries(protos).map(([name, text]) => ({ proto: runAtOnce(readProto(name, text)) }));
}
