import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { CompileTools, Pointer, Template, ValueTemplate } from '@backlot/core/plugin';
import { bufferOf, encodeMessage, type EncodeOptions } from '../codec/encode.js';
import { FieldError, at, pointerOf } from '../codec/field-error.js';
import { errorSchema } from '../schema/builtin.js';
import type { MessageType } from '../schema/model.js';
import type { SchemaRegistry } from '../schema/registry.js';
import type { GrpcMock } from '../schemas.js';
import { parseCode } from '../wire/status.js';

type Definition = NonNullable<GrpcMock['error']>;

/** The status with which a mock ends its calls. */
export interface CompiledError {
  readonly code: number;
  readonly message: Template;
  /**
   * The bytes of `grpc-status-details-bin`; `undefined` without details.
   *
   * @throws FieldError when a detail does not fit its type
   */
  details(message: string, render: (template: ValueTemplate) => unknown): Buffer | undefined;
}

/** Compiles an error. The types of details are known by the schemas, those of `google.rpc` always. */
export function compileError(
  definition: Definition,
  registry: SchemaRegistry,
  tools: CompileTools,
  place: Pointer,
): CompiledError {
  const code = tools.attempt(`${place}/code`, 2, () => parseCode(definition.code));
  const message = tools.template(definition.message ?? '', `${place}/message`, { target: 'text' });
  const listed = `${place}/details`;
  const { details } = definition;
  if (details === undefined || details.length === 0) return { code, message, details: () => undefined };
  const template = tools.value(details, listed);
  try {
    const options = template.constant ? {} : { isOpen: (text: string) => text.includes('{{') };
    packAll(details, registry, options);
  } catch (thrown) {
    if (!(thrown instanceof FieldError)) throw thrown;
    tools.problem(pointerOf(listed, thrown.steps), thrown.problem);
  }
  return {
    code,
    message,
    details(text, render) {
      const packed = packAll(render(template) as readonly unknown[], registry, {
        lenient: !template.constant,
      });
      // google.rpc.Status: code = 1, message = 2, details = 3.
      const writer = new BinaryWriter().uint32(8).int32(code).uint32(18).string(text);
      for (const one of packed) writer.uint32(26).bytes(one);
      return bufferOf(writer.finish());
    },
  };
}

/** Encodes each as a `google.protobuf.Any`; what does not fit is named by its index. */
function packAll(details: readonly unknown[], registry: SchemaRegistry, options: EncodeOptions): Buffer[] {
  const any = anyOf(registry);
  return details.map((detail, index) => at(index, () => encodeMessage(any, detail, options)));
}

function anyOf(registry: SchemaRegistry): MessageType {
  const { fullName, fields, byNumber, byName, hasRequired } = errorSchema().typeOf('google.protobuf.Any');
  const find = (name: string): MessageType | undefined =>
    registry.schema.messages.get(name) ?? errorSchema().messages.get(name);
  return { fullName, fields, byNumber, byName, hasRequired, find };
}
