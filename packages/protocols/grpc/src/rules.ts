import {
  pointTo,
  recordCaptures,
  type CapturedGroups,
  type CompileTools,
  type Delay,
  type DelaySource,
  type PlaceCondition,
  type TestResult,
} from '@backlot/core/plugin';
import { compileError, type CompiledError } from './answer/compiled-error.js';
import { CompiledMessage } from './answer/compiled-message.js';
import type { GrpcMessage } from './message.js';
import { checkPlace } from './schema/check-place.js';
import type { Method } from './schema/model.js';
import type { SchemaRegistry } from './schema/registry.js';
import type { GrpcMock } from './schemas.js';

/** An entry of a streaming answer. */
export interface StreamEntry {
  readonly message: CompiledMessage;
  /** What is waited for before it. */
  readonly delay: Delay;
  /** What is waited for as well, before the first message of an answer. */
  readonly before?: Delay;
}

/** What one request message of a call is answered with. */
export interface Rule {
  readonly conditions: readonly PlaceCondition[];
  readonly entries: readonly StreamEntry[];
  /** The status with which the call ends after the answer. */
  readonly error: CompiledError | undefined;
  /** Whether the call ends well after the answer. */
  readonly close: boolean;
}

/** Compiles `on_message`; `undefined` for a mock without it. */
export function compileRules(
  rules: GrpcMock['on_message'],
  methods: readonly Method[],
  registry: SchemaRegistry,
  tools: CompileTools,
): readonly Rule[] | undefined {
  return rules?.map(({ match, respond, delay, error, close = false }, index) => {
    const at = pointTo('/on_message', index);
    const conditions = tools.places(match, `${at}/match`, { label: 'request' });
    for (const { place, all } of conditions) {
      for (const steps of all) checkPlace(methods, steps, pointTo(`${at}/match`, place), tools);
    }
    if (error !== undefined && close)
      tools.problem(`${at}/close`, 'close ends the call well, and error with a status; leave one out');
    const before = tools.delay(delay, `${at}/delay`);
    return {
      conditions,
      entries: compileRespond(respond, before, `${at}/respond`, tools),
      error: error === undefined ? undefined : compileError(error, registry, tools, `${at}/error`),
      close,
    };
  });
}

type Respond = NonNullable<GrpcMock['on_message']>[number]['respond'];

function compileRespond(respond: Respond, before: Delay, at: string, tools: CompileTools): StreamEntry[] {
  if (respond === undefined) return [];
  if (!Array.isArray(respond)) return [{ message: new CompiledMessage(respond, tools, at), delay: before }];
  return compileEntries(respond, at, tools).map((entry, index) =>
    index === 0 ? { ...entry, before } : entry,
  );
}

/** Compiles a list of messages with delays. */
export function compileEntries(
  entries: readonly { readonly response: object | string; readonly delay?: DelaySource }[],
  at: string,
  tools: CompileTools,
): StreamEntry[] {
  return entries.map(({ response, delay }, index) => ({
    message: new CompiledMessage(response, tools, `${at}/${index}/response`),
    delay: tools.delay(delay, `${at}/${index}/delay`),
  }));
}

/** The milliseconds to wait before a message, for one call. */
export function delayBefore(
  { delay, before = 0 }: StreamEntry,
  match: { delayOf(delay: Delay): number },
): number {
  return match.delayOf(before) + match.delayOf(delay);
}

/** The first rule for a request message. */
export function ruleFor(rules: readonly Rule[], message: GrpcMessage): Rule | undefined {
  return rules.find(({ conditions }) => failedOn(conditions, message.request, message) === true);
}

/** What the patterns of a rule capture of a request message. */
export function capturesOf({ conditions }: Rule, message: GrpcMessage): CapturedGroups {
  return recordCaptures(() => failedOn(conditions, message.request, message));
}

/** Tests the conditions of a mock, or of a rule. */
export function failedOn(
  conditions: readonly PlaceCondition[],
  request: unknown,
  message: GrpcMessage,
): TestResult {
  for (const condition of conditions) {
    const result = condition.test(request, message);
    if (result !== true) return result;
  }
  return true;
}
