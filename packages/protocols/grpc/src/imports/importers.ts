import { fromJson, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import {
  invalid,
  messageOf,
  type Imported,
  type Importer,
  type ImportFile,
  type ImportNotes,
  type Json,
} from '@backlot/core/plugin';
import { googleSchema, isGoogleFile } from '../schema/builtin.js';
import { readDescriptorSet } from '../schema/descriptor-set.js';
import { linkFiles, type Described } from '../schema/link.js';
import { readProto } from '../schema/text/read-proto.js';

const LOOKED_AT = 65_536;
const MOST_FILES = 1000;
/** Folders above a file in which what it imports may begin. */
const MOST_ABOVE = 8;
const MOST_DEFINITIONS = 100_000;
/** What stands beside `.proto` files in a folder of them. */
const BESIDE = /\.(proto|ya?ml|md|lock|bazel)$|(^|\/)(LICENSE|BUILD)$/;
const SYNTAX = /^[ \t]*(?:syntax|edition)[ \t]*=[ \t]*["'](?:proto[23]|20\d\d)["']/m;

/** `.proto` files, whose services are answered by the types of their messages. */
const proto: Importer = {
  format: 'proto',
  title: 'Protocol Buffers (.proto)',
  detect(file) {
    if (file.isFolder)
      return file.files.some(isProto) && file.files.every(({ name }) => BESIDE.test(name))
        ? 'sure'
        : undefined;
    return SYNTAX.test(file.text.slice(0, LOOKED_AT)) ? 'sure' : undefined;
  },
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    const sources = new Map<string, string>();
    const waiting: [string, ImportFile][] = (file.isFolder ? file.files.filter(isProto) : [file]).map(
      (one) => [one.name || 'imported.proto', one],
    );
    const described: Described[] = [];
    for (const [name, one] of waiting) {
      if (sources.has(name)) continue;
      if (sources.size >= MOST_FILES) throw invalid(`there are more than ${MOST_FILES} files`);
      sources.set(name, one.text);
      const read = yield* readOne(name, one.text);
      described.push({ proto: read });
      for (const wanted of read.dependency) {
        if (isGoogleFile(wanted) || sources.has(wanted) || waiting.some(([known]) => known === wanted))
          continue;
        const found = importedBy(one, file, wanted);
        if (found !== undefined) waiting.push([wanted, found]);
        else {
          // An empty file stands for it, so that what is used of it is an error, and what is not is none.
          notes.approximated(
            name,
            `imports "${wanted.slice(0, 200)}", which is not beside it; nothing of it is known`,
          );
          const empty = 'syntax = "proto3";\n';
          sources.set(wanted, empty);
          described.push({ proto: yield* readOne(wanted, empty) });
        }
      }
    }
    yield* check(described);
    return made({ sources: Array.from(sources, ([name, content]) => ({ name, content })) }, notes);
  },
};

/** Descriptor sets as `protoc` and `buf` write them, as bytes or as JSON. */
const descriptors: Importer = {
  format: 'descriptors',
  title: 'Protocol Buffers descriptor set or buf image',
  detect(file) {
    if (file.isFolder) return undefined;
    if (isImage(file.tree)) return 'sure';
    return isSet(file.bytes) ? 'sure' : undefined;
  },
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    yield;
    const bytes = isImage(file.tree) ? fromImage(file.tree) : file.bytes;
    let files: readonly Described[];
    try {
      files = readDescriptorSet(bytes);
    } catch (thrown) {
      throw invalid(`the file ${messageOf(thrown)}`);
    }
    yield;
    yield* check(files.filter(({ proto: { name } }) => !isGoogleFile(name)));
    return made({ descriptors: [Buffer.from(bytes).toString('base64')] }, notes);
  },
};

function isProto({ name }: ImportFile): boolean {
  return name.endsWith('.proto');
}

function* readOne(name: string, text: string): Generator<undefined, Described['proto'], undefined> {
  const steps = readProto(name, text, MOST_DEFINITIONS);
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      yield;
    }
  } catch (thrown) {
    throw invalid(`${name}: ${messageOf(thrown)}`);
  }
}

/** The file that another one imports: beside the others of a folder, or in a folder above it. */
function importedBy(from: ImportFile, top: ImportFile, wanted: string): ImportFile | undefined {
  if (wanted.startsWith('/') || wanted.split(/[\\/]/).includes('..')) return undefined;
  if (top.isFolder) return top.files.find(({ name }) => name === wanted || name.endsWith(`/${wanted}`));
  for (let above = 0; above < MOST_ABOVE; above += 1) {
    const found = from.near('../'.repeat(above) + wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @throws BacklotError `invalid` when the files do not fit together, or have no service */
function* check(files: readonly Described[]): Generator<undefined, void, undefined> {
  const steps = linkFiles(files, googleSchema());
  try {
    while (steps.next().done !== true) yield;
  } catch (thrown) {
    throw invalid(messageOf(thrown));
  }
  if (!files.some(({ proto: { service } }) => service.length > 0))
    throw invalid('no service is defined, and so no method that could be answered');
}

function made(block: Json, notes: ImportNotes): Imported {
  notes.approximated('', 'calls that no mock answers are answered with messages made by their types');
  return { protocols: { grpc: { ...block, unmatched: 'made' } } };
}

/** Whether bytes begin as a list of file descriptors: one whose first field is the name of a `.proto` file. */
function isSet(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x0a) return false;
  let at = 1;
  while (at < 6 && (bytes[at] ?? 0) >= 0x80) at += 1;
  at += 1;
  const length = bytes[at + 1] ?? 0;
  return (
    bytes[at] === 0x0a &&
    length < 0x80 &&
    Buffer.from(bytes.subarray(at + 2, at + 2 + length))
      .toString('latin1')
      .endsWith('.proto')
  );
}

function isImage(tree: unknown): tree is Json {
  if (typeof tree !== 'object' || tree === null || !('file' in tree) || !Array.isArray(tree.file))
    return false;
  const [first] = tree.file as unknown[];
  return (
    typeof first === 'object' && first !== null && 'name' in first && String(first.name).endsWith('.proto')
  );
}

function fromImage(tree: Json): Uint8Array {
  try {
    const set = fromJson(FileDescriptorSetSchema, tree as never, { ignoreUnknownFields: true });
    return toBinary(FileDescriptorSetSchema, set);
  } catch (thrown) {
    throw invalid(`the file is no image: ${messageOf(thrown).slice(0, 300)}`);
  }
}

/** The formats that become services. */
export const importers: readonly Importer[] = [proto, descriptors];
