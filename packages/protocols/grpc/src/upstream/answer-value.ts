import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import type { Metadata } from '@grpc/grpc-js';
import { holdsTooMuch, runAtOnce } from '@backlot/core/plugin';
import { literal, literalJson, redactHeader, redactJsonSteps } from '@backlot/kit/upstream';
import { decodeMessage } from '../codec/decode.js';
import { parseOrKeep } from '../message.js';
import { errorSchema } from '../schema/builtin.js';
import type { Method } from '../schema/model.js';
import type { SchemaRegistry } from '../schema/registry.js';
import { nameOfCode } from '../wire/status.js';
import type { UpstreamStatus } from './upstream-call.js';

/** Metadata that says how or when an answer was made. */
const MADE_ANEW =
  /^(?:grpc-(?!retry-pushback-ms$).*|date|server|content-.*|accept-encoding|vary|via|trailer)$/;
const DETAILS = 'grpc-status-details-bin';

/** A message of the upstream without its secrets. */
export type Shown = { readonly value: unknown; readonly text: string } | { readonly bytes: Buffer };

/** Decodes a message; without a schema it is one of JSON, or bytes. @throws FieldError when it is no message of its type */
export function showMessage(method: Method | undefined, bytes: Buffer): Shown {
  const value =
    method === undefined ? parseOrKeep(bytes.toString('utf8')) : decodeMessage(method.response, bytes);
  if (method === undefined && (typeof value !== 'object' || value === null)) return { bytes };
  const text = runAtOnce(redactJsonSteps(JSON.stringify(value)));
  return { value: JSON.parse(text), text };
}

/** Metadata as a mock has it, without its secrets; `undefined` for none. */
export function metadataFields(metadata: Metadata): Readonly<Record<string, string | string[]>> | undefined {
  const fields: Record<string, string | string[]> = {};
  for (const key of Object.keys(metadata.getMap())) {
    if (MADE_ANEW.test(key)) continue;
    const values = metadata
      .get(key)
      .map((value) =>
        literal(redactHeader(key, typeof value === 'string' ? value : value.toString('base64'))),
      );
    fields[key] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** The field `error` of a mock that ends with a status. @throws Error for details that no schema has */
export function errorFields(
  { code, message, trailers }: UpstreamStatus,
  registry: SchemaRegistry,
): Readonly<Record<string, unknown>> {
  const [packed] = trailers.get(DETAILS);
  const details = Buffer.isBuffer(packed) ? detailsOf(packed, registry) : [];
  return {
    code: nameOfCode(code),
    ...(message === '' ? {} : { message: literal(runAtOnce(redactJsonSteps(message))) }),
    ...(details.length === 0 ? {} : { details }),
  };
}

/** The fields of a mock that give messages one after another. */
export function streamFields(messages: readonly Shown[]): readonly unknown[] {
  return messages.map((message) => ({ response: responseField(message) }));
}

/** The field `response` of a mock. @throws Error for a message that no mock gives */
export function responseField(message: Shown): unknown {
  if ('bytes' in message) throw new Error('no schema has its method');
  const { value } = message;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('its message is no object in JSON');
  if (holdsTooMuch(value)) throw new Error('it holds more than a mock can');
  return literalJson(value);
}

/** The messages in a `google.rpc.Status`. */
function detailsOf(packed: Buffer, registry: SchemaRegistry): unknown[] {
  const details: unknown[] = [];
  const reader = new BinaryReader(packed);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number !== 3) {
      reader.skip(wireType, number);
      continue;
    }
    const { typeUrl, value } = fromBinary(AnySchema, reader.bytes());
    const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
    const type = registry.schema.messages.get(name) ?? errorSchema().messages.get(name);
    if (type === undefined) throw new Error(`its details have the type ${name}, which no schema has`);
    const decoded = decodeMessage(type, value);
    if (typeof decoded !== 'object' || decoded === null)
      throw new Error(`its details have the type ${name}, which is no object in JSON`);
    const text = runAtOnce(redactJsonSteps(JSON.stringify({ '@type': name, ...decoded })));
    details.push(literalJson(JSON.parse(text)));
  }
  return details;
}
