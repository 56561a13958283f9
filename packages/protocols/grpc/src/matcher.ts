import {
  LATER,
  jsonText,
  parseJsonPath,
  pointTo,
  readJsonPath,
  type CompiledMock,
  type CompileTools,
  type Pointer,
  type TestResult,
} from '@backlot/core/plugin';
import { compileError, type CompiledError } from './answer/compiled-error.js';
import { CompiledMessage } from './answer/compiled-message.js';
import { compileMetadata, type CompiledMetadata } from './answer/compiled-metadata.js';
import type { FieldError } from './codec/field-error.js';
import type { GrpcMessage } from './message.js';
import type { MethodIndex } from './mock-index.js';
import { keyOf } from './schema/method-keys.js';
import { problemOfPlace } from './schema/check-place.js';
import type { Method } from './schema/model.js';
import type { GrpcMock } from './schemas.js';

/** An entry of a streaming answer. */
export interface StreamEntry {
  readonly message: CompiledMessage;
  /** Milliseconds. */
  readonly delay: number;
}

/** A compiled mock. */
export interface CompiledGrpc extends CompiledMock<GrpcMessage> {
  /** The name of the method; absent for a pattern. */
  readonly key?: string;
  /** Whether it may answer before the first request message has come. */
  readonly isEarly: boolean;
  readonly response: CompiledMessage | undefined;
  readonly error: CompiledError | undefined;
  readonly metadata: CompiledMetadata | undefined;
  readonly trailers: CompiledMetadata | undefined;
  /** The messages of a streaming answer; absent for a mock that has none. */
  readonly stream: readonly StreamEntry[] | undefined;
  readonly keepOpen: boolean;
}

/** Compiles a mock: what it answers is checked against the types of the methods it names, as far as they are known. */
export function compileMock(
  mock: GrpcMock & { readonly set_state?: unknown },
  tools: CompileTools,
  { registry }: MethodIndex,
): CompiledGrpc {
  const isStreaming = mock.stream !== undefined || mock.keep_open === true;
  const name = keyOf(mock.method);
  const isExact = !/[*\\]|^re:/.test(name);
  const response =
    mock.response === undefined ? undefined : new CompiledMessage(mock.response, tools, '/response');
  const stream = isStreaming ? compileStream(mock.stream ?? [], tools) : undefined;
  const metadata = compileMetadata(mock.metadata, tools, '/metadata');
  const error = mock.error === undefined ? undefined : compileError(mock.error, registry, tools, '/error');
  if (error !== undefined && mock.keep_open === true)
    tools.problem(
      '/keep_open',
      'keep_open leaves the call open, so that error would never be sent; leave one out',
    );
  const trailers = compileMetadata(mock.trailers, tools, '/trailers');
  const methods = isExact ? registry.methodsNamed(name) : [];
  checkTypes(methods, response, stream, tools);
  // Everything else waits for the message that a template or a pattern may ask for.
  const isEarly =
    stream !== undefined &&
    mock.match === undefined &&
    mock.set_state === undefined &&
    stream.every(({ message }) => message.isConstant) &&
    (metadata === undefined || metadata.constant !== undefined);
  return {
    ...(isExact ? { key: name } : {}),
    isEarly,
    test: compileTest(mock, isExact, isEarly, methods, tools),
    response,
    error,
    metadata,
    trailers,
    stream,
    keepOpen: mock.keep_open === true,
  };
}

function compileStream(entries: NonNullable<GrpcMock['stream']>, tools: CompileTools): StreamEntry[] {
  return entries.map(({ response, delay }, index) => ({
    message: new CompiledMessage(response, tools, `/stream/${index}/response`),
    delay: tools.duration(delay, `/stream/${index}/delay`),
  }));
}

/** A short name may mean methods of several services: it is wrong when it fits none of them. */
function checkTypes(
  methods: readonly Method[],
  response: CompiledMessage | undefined,
  stream: readonly StreamEntry[] | undefined,
  tools: CompileTools,
): void {
  const misfits: (() => void)[] = [];
  for (const method of methods) {
    const found = misfitsOf(method, response, stream, tools);
    if (found.length === 0) return;
    if (misfits.length === 0) misfits.push(...found);
  }
  for (const report of misfits) report();
}

function misfitsOf(
  method: Method,
  response: CompiledMessage | undefined,
  stream: readonly StreamEntry[] | undefined,
  tools: CompileTools,
): (() => void)[] {
  if (!method.givesStream && stream !== undefined && response === undefined) {
    return [
      () =>
        tools.problem(
          '/stream',
          `${method.path} answers with one message; give it as "response" in place of "stream" and "keep_open"`,
        ),
    ];
  }
  const messages = [response, ...(stream ?? []).map(({ message }) => message)];
  return messages.flatMap((message) => {
    const error: FieldError | undefined = message?.problemWith(method.response);
    return error === undefined ? [] : [() => message?.report(error, method, tools)];
  });
}

function compileTest(
  mock: GrpcMock,
  isExact: boolean,
  isEarly: boolean,
  methods: readonly Method[],
  tools: CompileTools,
): (message: GrpcMessage) => TestResult {
  const { method } = mock;
  const pattern = isExact ? undefined : tools.pattern(keyOf(method), '/method');
  const conditions = Object.entries(mock.match ?? {}).map(([place, source]) => {
    const at = pointTo('/match', place);
    const steps = parseJsonPath(place);
    checkPlace(methods, steps, at, tools);
    return { place, steps, pattern: tools.pattern(source, at) };
  });
  const name = keyOf(method);
  return (message) => {
    const isNamed =
      pattern === undefined
        ? message.keys.includes(name)
        : pattern.test(message.path) || message.keys.some((key) => pattern.test(key));
    if (!isNamed) {
      return () => `method: got "${message.path}", want "${method}"`;
    }
    if (!message.hasRequest && !isEarly) return message.isWhole ? failedOn(conditions, undefined) : LATER;
    return conditions.length === 0 ? true : failedOn(conditions, message.request);
  };
}

/** A short name may mean methods of several services: a place is wrong when none of them has it. */
function checkPlace(
  methods: readonly Method[],
  steps: readonly string[],
  at: Pointer,
  tools: CompileTools,
): void {
  const problems = methods.map(({ request }) => problemOfPlace(request, steps));
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined)) tools.problem(at, problem);
}

interface Condition {
  readonly place: string;
  readonly steps: readonly string[];
  readonly pattern: ReturnType<CompileTools['pattern']>;
}

function failedOn(conditions: readonly Condition[], request: unknown): TestResult {
  for (const { place, steps, pattern } of conditions) {
    const value = jsonText(readJsonPath(request, steps));
    if (!pattern.test(value)) return () => pattern.reason(`request ${place}`, value);
  }
  return true;
}
