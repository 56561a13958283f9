import {
  compileContent,
  constantContent,
  type CompiledMock,
  type CompileTools,
  type Template,
  type ValueOf,
} from '@backlot/core/plugin';
import { joinNames, splitNames } from './files/path.js';
import { DEFAULT_MODE, parseMode } from './files/permissions.js';
import type { FtpMessage } from './message.js';
import type { FileIndex } from './mock-index.js';
import type { MockSchema } from './schemas.js';

/** A file as it is configured or was uploaded. */
export type FileFields = ValueOf<typeof MockSchema>;

/** What a file holds: the bytes, or a template that makes them. */
export type FileContent = Uint8Array | Template;

/** A compiled file. */
export interface CompiledFile extends CompiledMock<FtpMessage> {
  /** From the root, in its shortest form. */
  readonly path: string;
  readonly content: FileContent;
  readonly mode: number;
  /** Milliseconds since 1970; absent when nobody said. */
  readonly modified: number | undefined;
}

const MAX_NAMES = 64;
const MAX_NAME_BYTES = 255;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
// What a line of the protocol cannot carry.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Compiles a file. */
export function compileFile(file: FileFields, tools: CompileTools, index?: FileIndex): CompiledFile {
  const uploaded = index?.uploaded;
  // Long texts are the same when they are one text; telling that two others are takes as long as reading them.
  const isUpload = uploaded !== undefined && file.content === uploaded.content;
  return {
    path: compilePath(file.path, tools),
    content: isUpload ? uploaded.bytes : contentOf(file, tools),
    mode: compileMode(file.permissions, tools),
    modified: compileTime(file.modified, tools),
  };
}

/** What is wrong with the names of a path, or `undefined`. The same holds for what clients name. */
export function pathProblem(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'must name a file below the root';
  if (names.length > MAX_NAMES) return `must have at most ${MAX_NAMES} names, got ${names.length}`;
  if (names.some((name) => CONTROL.test(name))) return 'must hold no control characters';
  const long = names.find((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  return long === undefined ? undefined : `must have names of at most ${MAX_NAME_BYTES} bytes`;
}

function compilePath(path: string, tools: CompileTools): string {
  const names = splitNames(path);
  const problem = path.split('/').includes('..') ? 'must not hold ".."' : pathProblem(names);
  if (problem !== undefined) {
    tools.problem('/path', `${problem}, as in "/reports/day.csv"; got ${JSON.stringify(path)}`);
  } else if (path.endsWith('/')) {
    tools.problem('/path', `must name a file, not a directory; got ${JSON.stringify(path)}`);
  }
  return joinNames(names);
}

function contentOf(
  { content, json, content_base64: base64, encoding }: FileFields,
  tools: CompileTools,
): FileContent {
  if (encoding !== 'base64' || json !== undefined || base64 !== undefined) {
    if (encoding !== undefined && (json !== undefined || base64 !== undefined))
      tools.problem(
        '/encoding',
        'says how "content" is written; leave it out beside "json" and "content_base64"',
      );
    const template = compileContent({ text: content, json, base64 }, { text: 'content' }, tools, '');
    return constantContent(template) ?? template;
  }
  return compileBase64(content ?? '', tools);
}

function compileBase64(content: string, tools: CompileTools): Buffer {
  const digits = content.replaceAll(/\s+/g, '');
  if (!BASE64.test(digits) || digits.length % 4 !== 0) {
    tools.problem('/content', 'must be base64 with padding, as in "aGVsbG8=", since "encoding" is base64');
  }
  return Buffer.from(digits, 'base64');
}

function compileMode(permissions: string | undefined, tools: CompileTools): number {
  if (permissions === undefined) return DEFAULT_MODE;
  const mode = parseMode(permissions);
  if (mode === undefined) {
    tools.problem(
      '/permissions',
      `must be a Unix mode such as "644" or "rw-r--r--", got ${JSON.stringify(permissions)}`,
    );
  }
  return mode ?? DEFAULT_MODE;
}

function compileTime(modified: string | undefined, tools: CompileTools): number | undefined {
  if (modified === undefined) return undefined;
  const time = RFC_3339.test(modified) ? Date.parse(modified) : Number.NaN;
  if (Number.isNaN(time)) {
    tools.problem(
      '/modified',
      `must be an RFC 3339 time such as "2024-05-01T12:00:00Z", got ${JSON.stringify(modified)}`,
    );
    return undefined;
  }
  return time;
}
