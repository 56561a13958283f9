import { create } from '@bufbuild/protobuf';
import {
  Edition,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { readEnum, readService } from './enums-and-services.js';
import { readExtend, readMessage } from './messages.js';
import {
  emptyOptions,
  makeOptions,
  readOption,
  readText,
  readTypeName,
  type OptionValues,
} from './options.js';
import type { Scope } from './scope.js';
import { Tokens } from './tokens.js';

/** The most messages, fields, values, methods, options and so on that one file may define. */
export const MAX_DEFINITIONS = 5000;

/** The editions that are known, by the name they have in a file. */
const EDITIONS: ReadonlyMap<string, Edition> = new Map([
  ['2023', Edition.EDITION_2023],
  ['2024', Edition.EDITION_2024],
]);

/**
 * Parses the text of a `.proto` file, letting others in after each statement. Names of types stay as they were written;
 * linking finds them.
 *
 * @throws ProtoSyntaxError with the line of what is wrong
 */
export function* readProto(
  name: string,
  text: string,
  maxDefinitions = MAX_DEFINITIONS,
): Generator<void, FileDescriptorProto> {
  const tokens = new Tokens(text);
  const file = create(FileDescriptorProtoSchema, { name });
  const options = emptyOptions();
  let left = maxDefinitions;
  const scope: Scope = {
    tokens,
    isProto3: false,
    count() {
      left -= 1;
      if (left < 0) throw tokens.fail(`the file defines more than ${maxDefinitions} things`);
    },
  };
  readSyntax(tokens, file);
  const proto: Scope = { ...scope, isProto3: file.syntax === 'proto3' };
  while (tokens.next.kind !== 'end') {
    yield;
    tokens.begin();
    yield* readStatement(proto, file, options);
  }
  const made = makeOptions(FileOptionsSchema, options, tokens);
  if (made !== undefined) file.options = made;
  return file;
}

/** A missing syntax is proto2, and is left out of its descriptor. */
function readSyntax(tokens: Tokens, file: FileDescriptorProto): void {
  const isEdition = tokens.next.text === 'edition';
  if (!tokens.takeIf('syntax') && !tokens.takeIf('edition')) return;
  tokens.expect('=');
  const version = readText(tokens);
  if (isEdition) {
    const edition = EDITIONS.get(version);
    if (edition === undefined)
      throw tokens.fail(
        `edition "${version.slice(0, 40)}" is not known; known are ${[...EDITIONS.keys()].join(', ')}`,
      );
    file.syntax = 'editions';
    file.edition = edition;
  } else if (version === 'proto3') file.syntax = version;
  else if (version !== 'proto2')
    throw tokens.fail(`syntax "${version.slice(0, 40)}" is not known; it is "proto2" or "proto3"`);
  tokens.expect(';');
}

function* readStatement(scope: Scope, file: FileDescriptorProto, options: OptionValues): Generator<void> {
  const { tokens } = scope;
  const { next } = tokens;
  if (tokens.takeIf(';')) return;
  switch (next.kind === 'name' ? next.text : '') {
    case 'import':
      return readImport(scope, file);
    case 'package':
      tokens.take();
      if (file.package !== '') throw tokens.fail('there are two packages');
      file.package = readTypeName(tokens);
      return tokens.expect(';');
    case 'option':
      tokens.take();
      scope.count();
      readOption(tokens, options);
      return tokens.expect(';');
    case 'message':
      tokens.take();
      file.messageType.push(yield* readMessage(scope, 0));
      return;
    case 'enum':
      tokens.take();
      file.enumType.push(yield* readEnum(scope));
      return;
    case 'service':
      tokens.take();
      file.service.push(yield* readService(scope));
      return;
    case 'extend': {
      tokens.take();
      const groups: DescriptorProto[] = file.messageType;
      yield* readExtend(scope, 0, file.extension, groups);
      return;
    }
    default:
      throw tokens.unexpected('import, package, option, message, enum, service or extend');
  }
}

function readImport({ tokens, count }: Scope, file: FileDescriptorProto): void {
  tokens.take();
  count();
  const isPublic = tokens.takeIf('public');
  if (!isPublic && !tokens.takeIf('weak')) tokens.takeIf('option');
  const name = readText(tokens);
  tokens.expect(';');
  if (isPublic) file.publicDependency.push(file.dependency.length);
  file.dependency.push(name);
}
