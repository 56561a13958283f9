import { createFileRegistry, type DescFile } from '@bufbuild/protobuf';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { messageOf } from '@backlot/core/plugin';
import { LinkError } from './link-error.js';
import { declare, resolve, type Definition, type Find, type Resolved } from './resolve.js';
import type { LinkedFile, Schema } from './schema.js';
import type { SymbolKind } from './symbols.js';

/** A file that is to be linked; one of a descriptor set with the bytes it was read from. */
export interface Described {
  readonly proto: FileDescriptorProto;
  readonly bytes?: Uint8Array;
}

/**
 * Links files with each other and with those of a schema, letting others in, and adds them to it. What they use without
 * an import counts as imported. Nothing is added when one of them is wrong.
 *
 * @throws LinkError when a type is not there, a name or a number is given twice, or files import each other in a circle
 */
export function* linkFiles(files: Iterable<Described>, schema: Schema): Generator<void, void> {
  const ready = yield* prepareFiles(files, schema);
  const added: LinkedFile[] = [];
  try {
    for (const one of ready) {
      yield;
      const linked = finishFile(one, schema);
      schema.add(linked);
      added.push(linked);
    }
  } catch (thrown) {
    for (const { proto } of added.reverse()) schema.remove(proto.name);
    throw thrown;
  }
}

/** A file that only its descriptor is still to be made of. */
export interface Prepared extends Resolved {
  readonly bytes?: Uint8Array;
}

/**
 * Finds everything that files refer to, letting others in; changes neither them nor the schema.
 *
 * @param ignored - files of the schema that will be gone
 * @returns the files in an order in which each comes after those it imports
 * @throws LinkError as {@link linkFiles}
 */
export function* prepareFiles(
  files: Iterable<Described>,
  schema: Schema,
  ignored: ReadonlySet<string> = new Set(),
): Generator<void, Prepared[]> {
  const symbols = new Map<string, Definition>();
  const declared = new Map<string, Described & { readonly symbols: Map<string, SymbolKind> }>();
  const find: Find = (name) => {
    const found = symbols.get(name) ?? schema.symbols.get(name);
    return found === undefined || ignored.has(found.file) ? undefined : found;
  };
  for (const one of files) {
    const { name } = one.proto;
    if (declared.has(name) || (schema.files.has(name) && !ignored.has(name)))
      throw new LinkError(name, 'there are two files of this name');
    const own = yield* declare(one.proto, find);
    for (const [symbol, kind] of own) symbols.set(symbol, { kind, file: name });
    declared.set(name, { ...one, symbols: own });
  }
  const prepared = new Map<string, Prepared>();
  for (const [name, { proto, bytes, symbols: own }] of declared) {
    for (const wanted of proto.dependency) {
      if (!declared.has(wanted) && !schema.files.has(wanted))
        throw new LinkError(name, `imports "${wanted}", which is not there`);
    }
    const resolved = yield* resolve(proto, own, find);
    prepared.set(name, Object.assign(resolved, bytes === undefined ? {} : { bytes }));
  }
  return inOrder(prepared);
}

/** Makes the descriptor of a file; those it imports are in the schema already. @throws LinkError */
export function finishFile(prepared: Prepared, schema: Schema): LinkedFile {
  const { proto, symbols, uses, bytes } = prepared;
  prepared.complete();
  let desc: DescFile | undefined;
  try {
    const made = createFileRegistry(proto, (name) => schema.partOf(name, uses.get(name)));
    desc = made.getFile(proto.name);
  } catch (thrown) {
    throw new LinkError(proto.name, messageOf(thrown));
  }
  if (desc === undefined) throw new LinkError(proto.name, 'cannot be linked');
  return { proto, desc, symbols, bytes };
}

/** Imported files first. */
function inOrder(files: ReadonlyMap<string, Prepared>): Prepared[] {
  const ordered: Prepared[] = [];
  const state = new Map<string, 'begun' | 'done'>();
  for (const start of files.keys()) {
    // Chains of imports may be long: a stack of its own in place of a recursion.
    const open = [{ name: start, wanted: importsOf(files.get(start)) }];
    if (state.has(start)) continue;
    state.set(start, 'begun');
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.wanted.next();
      if (next.done === true) {
        const file = files.get(top.name);
        if (file !== undefined) ordered.push(file);
        state.set(top.name, 'done');
        open.pop();
        continue;
      }
      const known = state.get(next.value);
      if (known === 'begun')
        throw new LinkError(
          top.name,
          `imports "${next.value}", which imports it in turn; files cannot import each other in a circle`,
        );
      if (known === 'done' || !files.has(next.value)) continue;
      state.set(next.value, 'begun');
      open.push({ name: next.value, wanted: importsOf(files.get(next.value)) });
    }
  }
  return ordered;
}

function importsOf(file: Prepared | undefined): Iterator<string> {
  return new Set([...(file?.proto.dependency ?? []), ...(file?.uses.keys() ?? [])]).values();
}
