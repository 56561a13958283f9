import { create } from '@bufbuild/protobuf';
import {
  EnumDescriptorProtoSchema,
  EnumDescriptorProto_EnumReservedRangeSchema,
  EnumOptionsSchema,
  EnumValueDescriptorProtoSchema,
  EnumValueOptionsSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
  ServiceDescriptorProtoSchema,
  ServiceOptionsSchema,
  type EnumDescriptorProto,
  type MethodDescriptorProto,
  type ServiceDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { emptyOptions, makeOptions, readBrackets, readOption, readTypeName } from './options.js';
import { readReserved } from './ranges.js';
import type { Scope } from './scope.js';
import { readInteger } from './integers.js';

const MAX_INT32 = 2 ** 31 - 1;

/** Reads an enum after its keyword. */
export function* readEnum(scope: Scope): Generator<void, EnumDescriptorProto> {
  const { tokens, count } = scope;
  count();
  const type = create(EnumDescriptorProtoSchema, { name: tokens.takeA('name', 'the name of an enum') });
  const options = emptyOptions();
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    if (tokens.takeIf('option')) {
      // A value may be called so as well.
      if (tokens.next.text !== '=') {
        scope.count();
        readOption(tokens, options);
        tokens.expect(';');
        continue;
      }
      readValue(scope, type, 'option');
    } else if (tokens.next.text === 'reserved') {
      tokens.take();
      readReserved(scope, type.reservedName, MAX_INT32, -MAX_INT32 - 1, (start, end) =>
        type.reservedRange.push(create(EnumDescriptorProto_EnumReservedRangeSchema, { start, end })),
      );
    } else readValue(scope, type, tokens.takeA('name', 'the name of a value'));
  }
  if (type.value.length === 0) throw tokens.fail(`the enum "${type.name}" has no value`);
  const made = makeOptions(EnumOptionsSchema, options, tokens);
  if (made !== undefined) type.options = made;
  return type;
}

function readValue({ tokens, count }: Scope, type: EnumDescriptorProto, name: string): void {
  count();
  tokens.expect('=');
  const number = readInteger(tokens, -MAX_INT32 - 1, MAX_INT32);
  const options = emptyOptions();
  readBrackets(tokens, options);
  tokens.expect(';');
  const made = makeOptions(EnumValueOptionsSchema, options, tokens);
  type.value.push(
    create(EnumValueDescriptorProtoSchema, {
      name,
      number,
      ...(made === undefined ? {} : { options: made }),
    }),
  );
}

/** Reads a service after its keyword. */
export function* readService({ tokens, count }: Scope): Generator<void, ServiceDescriptorProto> {
  count();
  const service = create(ServiceDescriptorProtoSchema, {
    name: tokens.takeA('name', 'the name of a service'),
  });
  const options = emptyOptions();
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    if (tokens.takeIf('option')) {
      count();
      readOption(tokens, options);
      tokens.expect(';');
      continue;
    }
    tokens.expect('rpc');
    count();
    service.method.push(yield* readMethod(tokens, count));
  }
  const made = makeOptions(ServiceOptionsSchema, options, tokens);
  if (made !== undefined) service.options = made;
  return service;
}

function* readMethod(tokens: Scope['tokens'], count: Scope['count']): Generator<void, MethodDescriptorProto> {
  const method = create(MethodDescriptorProtoSchema, { name: tokens.takeA('name', 'the name of a method') });
  const takes = readSide(tokens);
  tokens.expect('returns');
  const gives = readSide(tokens);
  method.inputType = takes.type;
  method.outputType = gives.type;
  if (takes.isStream) method.clientStreaming = true;
  if (gives.isStream) method.serverStreaming = true;
  if (tokens.takeIf(';')) return method;
  const options = emptyOptions();
  tokens.expect('{');
  while (!tokens.takeIf('}')) {
    yield;
    tokens.begin();
    if (tokens.takeIf(';')) continue;
    tokens.expect('option');
    count();
    readOption(tokens, options);
    tokens.expect(';');
  }
  const made = makeOptions(MethodOptionsSchema, options, tokens);
  if (made !== undefined) method.options = made;
  return method;
}

function readSide(tokens: Scope['tokens']): { readonly type: string; readonly isStream: boolean } {
  tokens.expect('(');
  let isStream = tokens.takeIf('stream');
  let type: string;
  // A type may be called so as well.
  if (isStream && (tokens.next.text === ')' || tokens.next.text === '.')) {
    const isName = tokens.next.text === ')';
    type = isName ? 'stream' : readTypeName(tokens);
    if (isName) isStream = false;
  } else type = readTypeName(tokens);
  tokens.expect(')');
  return { type, isStream };
}
