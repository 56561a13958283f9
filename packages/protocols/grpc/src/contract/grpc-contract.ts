import { loadText, MOST_BYTES, UNCHECKED } from '@backlot/contracts';
import {
  holdsTooMuch,
  invalid,
  messageOf,
  runInSlices,
  type ContractOperation,
  type ContractSource,
  type ContractViolation,
  type LoadedContract,
  type MockViolation,
} from '@backlot/core/plugin';
import { createHash } from 'node:crypto';
import { encodeMessage } from '../codec/encode.js';
import { MessageDecoder } from '../codec/decode.js';
import { FieldError, pointerOf } from '../codec/field-error.js';
import type { CompiledGrpc } from '../matcher.js';
import { googleSchema } from '../schema/builtin.js';
import { linkFiles } from '../schema/link.js';
import { loadFiles, type LoadedFiles } from '../schema/load-files.js';
import { keyOf } from '../schema/method-keys.js';
import type { MessageType, Method } from '../schema/model.js';
import type { Schema } from '../schema/schema.js';
import { scanMessage } from './scan-message.js';

/** Values of a message beyond which it is not checked: more would hold up other clients. */
const MOST_VALUES = 25_000;

/** Services that calls and mocks of gRPC are held to. */
export class GrpcContract implements LoadedContract {
  readonly operations: readonly ContractOperation[];
  readonly digest: string;
  readonly #schema: Schema;

  constructor(schema: Schema, digest: string) {
    this.#schema = schema;
    this.digest = digest;
    this.operations = Array.from(schema.methods.keys(), (name) => ({ name, answers: ['OK'] }));
  }

  /** The method of a path, `/package.Service/Method`. */
  method(path: string): Method | undefined {
    return this.#schema.methods.get(path);
  }

  /**
   * What is wrong with a message.
   *
   * @param isJson - whether it is the text of one, in place of its bytes
   * @returns {@link UNCHECKED} for one that is too long, or holds too much, to be checked
   */
  checkMessage(
    side: 'request' | 'answer',
    type: MessageType,
    bytes: Buffer,
    isJson: boolean,
  ): ContractViolation | typeof UNCHECKED | undefined {
    if (bytes.length > MOST_BYTES) return UNCHECKED;
    try {
      if (isJson) {
        const value = JSON.parse(bytes.toString('utf8')) as unknown;
        if (holdsTooMuch(value, MOST_VALUES)) return UNCHECKED;
        encodeMessage(type, value);
      } else {
        if (!new MessageDecoder(type, bytes).run(MOST_VALUES)) return UNCHECKED;
        if (!scanMessage(type, bytes, MOST_VALUES)) return UNCHECKED;
      }
      return undefined;
    } catch (thrown) {
      if (thrown instanceof FieldError)
        return { in: side, path: pointerOf('/message', thrown.steps), message: thrown.problem };
      return { in: side, path: '/message', message: `must be a message of ${type.fullName}` };
    }
  }

  checkMock(mock: Readonly<Record<string, unknown>>, compiled: unknown): readonly MockViolation[] {
    const named = mock['method'];
    // Which methods an expression is for is known only when a call comes.
    if (typeof named !== 'string' || /[*\\]|^re:/.test(named)) return [];
    const methods = [...this.#schema.methodsNamed(keyOf(named))];
    if (methods.length === 0)
      return [{ path: '/method', message: `${named} must be a method of the contract` }];
    const { response, stream = [], rules = [] } = compiled as CompiledGrpc;
    const answers = [
      { at: '/response', message: response },
      ...stream.map(({ message }, index) => ({ at: `/stream/${index}`, message })),
      ...rules.flatMap(({ entries }, index) =>
        entries.map(({ message }) => ({ at: `/on_message/${index}`, message })),
      ),
    ];
    return methods.flatMap(({ path, response: type }) =>
      answers.flatMap(({ at, message }) => {
        const error = message?.problemWith(type);
        if (error === undefined) return [];
        return [{ path: at, message: `${pointerOf('', error.steps)} ${error.problem} (${path})`.trim() }];
      }),
    );
  }
}

/** Reads the file that the settings name: `.proto` files with their imports, and descriptor sets. */
export async function loadGrpcContract({ file }: ContractSource): Promise<GrpcContract> {
  const { files, problems } = await readFiles(file);
  const [problem] = problems;
  if (problem !== undefined) throw invalid(problem.message);
  const schema = googleSchema();
  try {
    await runInSlices(linkFiles(files, schema));
  } catch (thrown) {
    throw invalid(`"${file}" cannot be used: ${messageOf(thrown)}`);
  }
  if (schema.methods.size === 0) throw invalid(`"${file}" has no services`);
  const hash = createHash('sha256');
  for (const { proto } of files) hash.update(JSON.stringify(proto, (_key, value: unknown) => textOf(value)));
  return new GrpcContract(schema, hash.digest('base64'));
}

async function readFiles(file: string): Promise<LoadedFiles> {
  const named = { path: file, at: '' };
  const isProto = /\.proto$/i.test(file);
  if (!/^https?:\/\//i.test(file)) return isProto ? loadFiles([named], []) : loadFiles([], [named]);
  if (!isProto) throw invalid(`"${file}" cannot be used: an image is a file on the disk`);
  const { text } = await loadText(file);
  return loadFiles([], [], { sources: [{ name: new URL(file).pathname.slice(1), content: text }] });
}

/** What JSON has no form for, for the digest. */
function textOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
