import {
  compileContent,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type Delay,
  contentTypeIn,
  type Pattern,
  pointTo,
  type Reply,
  type Template,
  testAny,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import {
  compileSubject,
  type CompiledSubject,
  type WildcardHints,
  type WildcardSyntax,
} from '@backlot/kit/wildcards';
import type { NatsMessage } from './message.js';
import type { MockSchema } from './schemas.js';
import { isHeaderName } from './wire/headers.js';
import { SUBJECT_SYNTAX, hasEmptyWord, whyNotPublishable } from './wire/subject.js';

/** In mocks a wildcard inside a word is a mistake: no message could be meant. */
const MOCK_SYNTAX: WildcardSyntax = { ...SUBJECT_SYNTAX, wholeWords: true };

/** What an answer is made of. */
export interface CompiledResponse {
  /** `undefined`: the message's reply subject. */
  readonly subject: Template | undefined;
  readonly payload: Buffer | Template | 'received';
  readonly headers: readonly (readonly [name: string, value: Template])[];
  /** What is waited for before it. */
  readonly delay: Delay;
  /** The answer as the journal keeps it, where it is the same each time. */
  readonly reply: Reply | undefined;
}

/** A compiled mock. */
export interface CompiledNats extends CompiledMock<NatsMessage> {
  /** How the index finds it: by its only subject, by a subject with `*` and `>`, or by trying. */
  readonly subjectKey: WildcardHints;
  readonly isQueueMember: boolean;
  readonly response: CompiledResponse | undefined;
}

type Mock = ValueOf<typeof MockSchema>;
type Test = (message: NatsMessage) => TestResult;

/** Compiles a mock. */
export function compileMock(mock: Mock, tools: CompileTools): CompiledNats {
  const { queue_group: queue = '' } = mock;
  const subject = compileMockSubject(mock.subject, tools);
  const tests = [...payloadTests(mock, tools), ...headerTests(mock, tools)];
  if (queue !== '') {
    if (/[\s\0]/.test(queue)) {
      tools.problem(
        '/queue_group',
        `"${queue}" has white space in it; the name of a queue group is one word`,
      );
    }
    // Last: whether the mock is the member that gets the message is chosen only among messages that fit.
    tests.push(
      (message) => message.isForQueue(queue) || `queue group "${queue}": another member gets this message`,
    );
  }
  const Matcher = subject.params === undefined ? NatsMatcher : CapturingMatcher;
  return new Matcher(subject, tests, queue !== '', compileResponse(mock.response, tools));
}

/** A class, since thousands of mocks with functions of their own are thousands of places that no cache holds. */
class NatsMatcher implements CompiledNats {
  // What every match reads comes first.
  /** Whether the subject needs no test where the index has given the mock. */
  readonly #isSure: boolean;
  /** What is asked for beside the subject; absent when that is nothing. */
  readonly #tests: readonly Test[] | undefined;
  readonly response: CompiledResponse | undefined;
  readonly isQueueMember: boolean;
  readonly subjectKey: WildcardHints;
  protected readonly subject: SubjectMatcher;

  constructor(
    subject: SubjectMatcher,
    tests: readonly Test[],
    isQueueMember: boolean,
    response: CompiledResponse | undefined,
  ) {
    this.#isSure = subject.isSure;
    this.#tests = tests.length === 0 ? undefined : tests;
    this.response = response;
    this.isQueueMember = isQueueMember;
    this.subjectKey = subject.key;
    this.subject = subject;
  }

  test(message: NatsMessage, isFound = false): TestResult {
    if (!(isFound && this.#isSure)) {
      const result = this.subject.test(message);
      if (result !== true) return result;
    }
    return this.#tests === undefined ? true : testAll(this.#tests, message);
  }
}

/** A compiled mock whose subject has named words. */
class CapturingMatcher extends NatsMatcher {
  params(message: NatsMessage): Readonly<Record<string, string>> {
    return this.subject.params?.(message) ?? {};
  }
}

function testAll(tests: readonly Test[], message: NatsMessage): TestResult {
  for (const test of tests) {
    const result = test(message);
    if (result !== true) return result;
  }
  return true;
}

interface SubjectMatcher {
  readonly key: WildcardHints;
  /** Whether every message that the index finds by it fits. */
  readonly isSure: boolean;
  readonly test: Test;
  readonly params?: (message: NatsMessage) => Readonly<Record<string, string>>;
}

function compileMockSubject(source: Mock['subject'], tools: CompileTools): SubjectMatcher {
  if (typeof source !== 'string' || source.startsWith('re:')) {
    const pattern = tools.pattern(source, '/subject');
    const { exact } = pattern;
    return {
      key: { exact },
      isSure: pattern.isExact,
      test: (message) =>
        pattern.test(message.path, message) || (() => pattern.reason('subject', message.path, message)),
    };
  }
  const compiled = tools.attempt('/subject', compileSubject('>', MOCK_SYNTAX), () =>
    compileSubject(source, MOCK_SYNTAX),
  );
  const problem = whyNotSubject(source, compiled.wildcards);
  if (problem !== undefined) tools.problem('/subject', `${JSON.stringify(source)}: ${problem}`);
  return subjectMatcher(compiled);
}

function subjectMatcher(subject: CompiledSubject): SubjectMatcher {
  const { source, isExact, wildcards } = subject;
  const test: Test = ({ path }) =>
    subject.test(path) || (() => `subject: got ${JSON.stringify(path)}, want ${JSON.stringify(source)}`);
  if (isExact) return { key: { exact: source }, isSure: true, test };
  if (wildcards === source) return { key: { wildcards }, isSure: true, test };
  return { key: { wildcards }, isSure: true, test, params: ({ path }) => subject.captures(path) ?? {} };
}

/** @param wildcards - the subject with `*` for each named word */
function whyNotSubject(source: string, wildcards: string): string | undefined {
  if (/[\s\0]/.test(source)) return 'a subject has no white space in it';
  if (hasEmptyWord(source)) return 'no word between its dots may be empty; > alone is any subject';
  const odd = wildcards.split('.').find((word) => /[{}]/.test(word));
  return odd === undefined
    ? undefined
    : `${JSON.stringify(odd)} is no named word; write {name} with letters, digits and _ between two dots`;
}

function payloadTests({ payload }: Mock, tools: CompileTools): Test[] {
  const pattern = tools.pattern(payload, '/payload');
  return pattern.any
    ? []
    : [
        (message) =>
          pattern.test(message.text, message) || (() => pattern.reason('payload', message.text, message)),
      ];
}

function headerTests({ headers = {} }: Mock, tools: CompileTools): Test[] {
  return Object.entries(headers).map(([name, source]) => {
    const at = pointTo('/headers', name);
    checkHeaderName(name, at, tools);
    return headerTest(name, tools.pattern(source, at));
  });
}

function headerTest(name: string, pattern: Pattern): Test {
  const key = name.toLowerCase();
  return (message) => {
    const { headers } = message;
    const values = headers !== undefined && Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (testAny(pattern, values, message)) return true;
    return () =>
      pattern.reason(`header ${name}`, typeof values === 'object' ? values.join(', ') : values, message);
  };
}

function compileResponse(response: Mock['response'], tools: CompileTools): CompiledResponse | undefined {
  if (response === undefined) return undefined;
  const { subject = '', headers = {}, delay } = response;
  const payload = compilePayload(response, tools);
  return {
    subject: subject === '' ? undefined : compileTarget(subject, tools),
    payload,
    reply: Buffer.isBuffer(payload) ? { body: payload } : undefined,
    headers: Object.entries(headers).flatMap(([name, values]) => {
      const at = pointTo('/response/headers', name);
      checkHeaderName(name, at, tools);
      return (typeof values === 'string' ? [values] : values).map(
        (value) => [name, tools.template(value, at, { target: 'text' })] as const,
      );
    }),
    delay: tools.delay(delay, '/response/delay'),
  };
}

function compileTarget(source: string, tools: CompileTools): Template {
  const template = tools.template(source, '/response/subject', { target: 'text' });
  const problem = template.constant ? whyNotPublishable(source) : undefined;
  if (problem !== undefined) {
    tools.problem('/response/subject', `${JSON.stringify(source)} cannot be published to: ${problem}`);
  }
  return template;
}

function compilePayload(
  { payload: text, json, payload_base64: base64, headers }: NonNullable<Mock['response']>,
  tools: CompileTools,
): CompiledResponse['payload'] {
  const content = compileContent({ text, json, base64 }, { text: 'payload' }, tools, '/response', {
    contentType: contentTypeIn(headers),
  });
  if (content.isWholeBody) return 'received';
  return constantContent(content) ?? content;
}

function checkHeaderName(name: string, at: string, tools: CompileTools): void {
  if (!isHeaderName(name)) {
    tools.problem(at, `${JSON.stringify(name)} is no header name; use visible ASCII characters, no colon`);
  }
}
