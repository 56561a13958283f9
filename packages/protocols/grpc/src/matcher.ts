import { LATER, pointTo, type CompiledMock, type CompileTools, type TestResult } from '@backlot/core/plugin';
import { compileCallConditions, type CallConditions } from './call-conditions.js';
import { compileError, type CompiledError } from './answer/compiled-error.js';
import { CompiledMessage } from './answer/compiled-message.js';
import { compileMetadata, type CompiledMetadata } from './answer/compiled-metadata.js';
import type { FieldError } from './codec/field-error.js';
import type { GrpcMessage } from './message.js';
import type { MethodIndex } from './mock-index.js';
import { keyOf } from './schema/method-keys.js';
import { compileEntries, compileRules, failedOn, type Rule, type StreamEntry } from './rules.js';
import { checkPlace } from './schema/check-place.js';
import type { Method } from './schema/model.js';
import type { GrpcMock } from './schemas.js';

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
  /** How each request message is answered; absent for a mock that answers the call as a whole. */
  readonly rules: readonly Rule[] | undefined;
  readonly keepOpen: boolean;
}

/** Compiles a mock: what it answers is checked against the types of the methods it names, as far as they are known. */
export function compileMock(
  mock: GrpcMock & { readonly set_state?: unknown; readonly emit?: unknown },
  tools: CompileTools,
  { registry }: MethodIndex,
): CompiledGrpc {
  const isStreaming = mock.stream !== undefined || mock.keep_open === true;
  const name = keyOf(mock.method);
  const isExact = !/[*\\]|^re:/.test(name);
  const response =
    mock.response === undefined ? undefined : new CompiledMessage(mock.response, tools, '/response');
  const stream = isStreaming ? compileEntries(mock.stream ?? [], '/stream', tools) : undefined;
  const metadata = compileMetadata(mock.metadata, tools, '/metadata');
  const error = mock.error === undefined ? undefined : compileError(mock.error, registry, tools, '/error');
  if (error !== undefined && mock.keep_open === true)
    tools.problem(
      '/keep_open',
      'keep_open leaves the call open, so that error would never be sent; leave one out',
    );
  const trailers = compileMetadata(mock.trailers, tools, '/trailers');
  const methods = isExact ? registry.methodsNamed(name) : [];
  const rules = compileRules(mock.on_message, methods, registry, tools);
  if (rules !== undefined && response !== undefined) {
    tools.problem(
      '/response',
      'response cannot stand beside on_message; give what is sent first as "stream", and answers in on_message',
    );
  }
  checkTypes(methods, { response, stream, rules }, tools);
  const ofCall = compileCallConditions(mock, tools);
  // Everything else waits for the message that a template or a pattern may ask for.
  const isEarly =
    stream !== undefined &&
    mock.match === undefined &&
    ofCall?.waits !== true &&
    mock.set_state === undefined &&
    mock.emit === undefined &&
    stream.every(({ message }) => message.isConstant) &&
    (metadata === undefined || metadata.constant !== undefined);
  return {
    ...(isExact ? { key: name } : {}),
    isEarly,
    test: compileTest(mock, { isExact, isEarly, methods, ofCall }, tools),
    response,
    error,
    metadata,
    trailers,
    stream,
    rules,
    keepOpen: mock.keep_open === true,
  };
}

/** The messages that a mock sends. */
interface Sent {
  readonly response: CompiledMessage | undefined;
  readonly stream: readonly StreamEntry[] | undefined;
  readonly rules: readonly Rule[] | undefined;
}

/** A short name may mean methods of several services: it is wrong when it fits none of them. */
function checkTypes(methods: readonly Method[], sent: Sent, tools: CompileTools): void {
  const misfits: (() => void)[] = [];
  for (const method of methods) {
    const found = misfitsOf(method, sent, tools);
    if (found.length === 0) return;
    if (misfits.length === 0) misfits.push(...found);
  }
  for (const report of misfits) report();
}

function misfitsOf(method: Method, { response, stream, rules }: Sent, tools: CompileTools): (() => void)[] {
  if (rules !== undefined && !(method.takesStream && method.givesStream)) {
    const text = `${method.path} has no streams in both directions; give "response" or "stream" in place of on_message`;
    return [() => tools.problem('/on_message', text)];
  }
  if (!method.givesStream && stream !== undefined && response === undefined) {
    return [
      () =>
        tools.problem(
          '/stream',
          `${method.path} answers with one message; give it as "response" in place of "stream" and "keep_open"`,
        ),
    ];
  }
  const entries = [...(stream ?? []), ...(rules ?? []).flatMap((rule) => rule.entries)];
  const messages = [response, ...entries.map(({ message }) => message)];
  return messages.flatMap((message) => {
    const error: FieldError | undefined = message?.problemWith(method.response);
    return error === undefined ? [] : [() => message?.report(error, method, tools)];
  });
}

/** What is known of a mock when its test is made. */
interface Tested {
  readonly isExact: boolean;
  readonly isEarly: boolean;
  readonly methods: readonly Method[];
  readonly ofCall: CallConditions | undefined;
}

function compileTest(
  mock: GrpcMock,
  { isExact, isEarly, methods, ofCall }: Tested,
  tools: CompileTools,
): (message: GrpcMessage) => TestResult {
  const { method } = mock;
  const pattern = isExact ? undefined : tools.pattern(keyOf(method), '/method');
  const conditions = tools.places(mock.match, '/match', { label: 'request' });
  for (const { place, all } of conditions) {
    for (const steps of all) checkPlace(methods, steps, pointTo('/match', place), tools);
  }
  const name = keyOf(method);
  return (message) => {
    const isNamed =
      pattern === undefined
        ? message.keys.includes(name)
        : pattern.test(message.path, message) || message.keys.some((key) => pattern.test(key, message));
    if (!isNamed) {
      return () => `method: got "${message.path}", want "${method}"`;
    }
    if (ofCall !== undefined && (!ofCall.waits || message.hasRequest || message.isWhole)) {
      const fits = ofCall.test(message);
      if (fits !== true) return fits;
    }
    if (!message.hasRequest && !isEarly)
      return message.isWhole ? failedOn(conditions, undefined, message) : LATER;
    return conditions.length === 0 ? true : failedOn(conditions, message.request, message);
  };
}
