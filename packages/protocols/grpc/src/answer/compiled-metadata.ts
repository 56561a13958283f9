import { Metadata } from '@grpc/grpc-js';
import type { CompileTools, Pointer, Template } from '@backlot/core/plugin';

type Definition = Readonly<Record<string, string | readonly string[]>> | undefined;

/** Renders a template of the mock that matched. */
export type Render = (template: Template) => string;

/** Metadata of an answer. */
export interface CompiledMetadata {
  /** What is always the same; absent when something has to be rendered. */
  readonly constant: Metadata | undefined;
  /** @throws Error when a rendered value cannot be sent */
  make(render: Render): Metadata;
}

const KEY = /^[0-9a-z_.-]+$/;
/** What HTTP/2 or gRPC sets itself. */
const RESERVED =
  /^(?:grpc-(?!retry-pushback-ms$).*|content-type|content-length|te|host|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|trailer|http2-settings)$/;
/** What a server says to a client that retries, by the end of a call (gRFC A6). */
const PUSHBACK = 'grpc-retry-pushback-ms';
const VALUE = /^[\x20-\x7e]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface Entry {
  readonly key: string;
  readonly template: Template;
}

/** Compiles metadata; `undefined` when there is none. */
export function compileMetadata(
  definition: Definition,
  tools: CompileTools,
  at: Pointer,
): CompiledMetadata | undefined {
  const entries: Entry[] = [];
  for (const [name, given] of Object.entries(definition ?? {})) {
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const key = name.toLowerCase();
    if (!KEY.test(key))
      tools.problem(place, `"${name}" is no metadata key; use letters, digits, "-", "_" and "."`);
    else if (RESERVED.test(key)) tools.problem(place, `"${name}" is set by gRPC itself; leave it out`);
    else if (key === PUSHBACK && at !== '/trailers')
      tools.problem(place, `clients read "${name}" in the trailers alone; give it there`);
    else {
      for (const value of typeof given === 'string' ? [given] : given) {
        const template = tools.template(value, place, { target: 'text' });
        if (template.constant) tools.attempt(place, undefined, () => valueOf(key, value));
        entries.push({ key, template });
      }
    }
  }
  if (entries.length === 0) return undefined;
  const make = (render: Render): Metadata => {
    const metadata = new Metadata();
    for (const { key, template } of entries) metadata.add(key, valueOf(key, render(template)));
    return metadata;
  };
  const isConstant = entries.every(({ template }) => template.constant);
  let constant: Metadata | undefined;
  return {
    get constant() {
      return isConstant ? (constant ??= make((template) => template.source)) : undefined;
    },
    make: (render) => (isConstant ? (constant ??= make(render)) : make(render)),
  };
}

function valueOf(key: string, text: string): string | Buffer {
  if (key.endsWith('-bin')) {
    if (!BASE64.test(text))
      throw new Error(`the value of "${key}" must be base64, got ${JSON.stringify(text)}`);
    return Buffer.from(text, 'base64');
  }
  if (!VALUE.test(text))
    throw new Error(
      `the value of "${key}" must be printable ASCII, got ${JSON.stringify(text)}; a key that ends in -bin takes any bytes as base64`,
    );
  return text.trim();
}
