import type { SchemaRegistry } from '../schema/registry.js';
import { Code } from '../wire/status.js';
import type { OwnCall, OwnHandler } from './own-service.js';

type Plain = Readonly<Record<string, unknown>>;

const PATH = /^\/grpc\.reflection\.v1(?:alpha)?\.ServerReflection\/ServerReflectionInfo$/;

/** Answers server reflection, of which both versions have the same messages. `undefined` for other methods. */
export function reflectionHandler(
  path: string,
  registry: SchemaRegistry,
): ((call: OwnCall) => OwnHandler) | undefined {
  if (!PATH.test(path)) return undefined;
  return (call) => ({
    receive: (request) =>
      call.reply({ valid_host: request['host'], original_request: request, ...answer(request, registry) }),
    finish: () => call.end(Code.OK),
  });
}

function answer(request: Plain, registry: SchemaRegistry): Plain {
  const { schema } = registry;
  if (request['list_services'] !== undefined) {
    return { list_services_response: { service: Array.from(schema.services, (name) => ({ name })) } };
  }
  const {
    file_by_filename: name,
    file_containing_symbol: symbol,
    file_containing_extension: extension,
    all_extension_numbers_of_type: type,
  } = request as Readonly<Record<string, string | undefined>>;
  if (name !== undefined)
    return describe(schema.files.has(name) ? name : undefined, `file ${name}`, registry);
  if (symbol !== undefined) return describe(schema.symbols.get(symbol)?.file, `symbol ${symbol}`, registry);
  if (extension !== undefined) {
    const { containing_type: extended, extension_number: number } = extension as unknown as Plain;
    const found = schema.extension(String(extended), Number(number));
    return describe(found?.file.proto.name, `extension ${String(number)} of ${String(extended)}`, registry);
  }
  if (type !== undefined) {
    if (!schema.messages.has(type)) return notFound(`type ${type}`);
    const numbers = Array.from(schema.extensionsOf(type), (one) => one.number);
    return { all_extension_numbers_response: { base_type_name: type, extension_number: numbers } };
  }
  return {
    error_response: { error_code: Code.INVALID_ARGUMENT, error_message: 'the request asks for nothing' },
  };
}

function describe(file: string | undefined, what: string, registry: SchemaRegistry): Plain {
  if (file === undefined) return notFound(what);
  return { file_descriptor_response: { file_descriptor_proto: registry.schema.describe(file) } };
}

function notFound(what: string): Plain {
  return { error_response: { error_code: Code.NOT_FOUND, error_message: `${what} not found` } };
}
