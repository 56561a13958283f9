import { isBacklotError, type Json, type RespondFunction, type RespondRequest } from '@backlot/core';
import { check, checkEqual, eventually, settle, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Mocks whose answers are made by functions. */
export function functionCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const fields = protocol.mocks.answer?.fields;
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run),
  });
  if (fields === undefined) {
    return [
      on('are refused, with the reason', async ({ kind }) => {
        const refusal = refusalOf(() => kind.mocks.create({ ...probe.mocks.simple, respond: () => ({}) }));
        check(/cannot be answered by a function/.test(refusal), `the reason was "${refusal}"`);
        await Promise.resolve();
      }),
    ];
  }
  const isAnswer = (name: string): boolean => fields.includes(name);
  const answer = (request: RespondRequest): unknown =>
    probe.respond?.(request) ?? pick(probe.mocks.simple, isAnswer);
  const addFunction = (stage: Stage, respond: RespondFunction): void => {
    const rest = pick(probe.mocks.simple, (name) => !isAnswer(name));
    stage.kind.mocks.create({ ...rest, id: 'simple', respond });
  };
  const cases = [
    on('answer as a mock does, with texts as they are', async (stage) => {
      const seen: string[] = [];
      addFunction(stage, (request, { call, mockId }) => {
        seen.push(`${request.method} ${mockId} ${call}`);
        return answer(request);
      });
      checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
      const entry = stage.kind.calls.of('simple').calls[0];
      checkEqual('what the function has seen', seen.join(), `${entry?.method ?? ''} simple 1`);
      checkEqual('the count', stage.kind.calls.of('simple').count, 1);
    }),
    on('may take their time, and hold up no other connection', async (stage) => {
      let finish = (): void => undefined;
      const ready = new Promise<void>((resolve) => (finish = resolve));
      addFunction(stage, async (request) => {
        await ready;
        return answer(request);
      });
      stage.add('other', { priority: 1 });
      const { answer: late, isAnswered } = await stage.askLater();
      await stage.called('simple', 1);
      checkEqual('the answer to another client', await stage.ask('other'), probe.answers.other);
      await settle();
      check(!isAnswered(), 'the answer came before the function had made it');
      finish();
      checkEqual(
        'the late answer',
        await within(stage.timeout, 'the late answer', late),
        probe.answers.simple,
      );
    }),
  ];
  const schema = protocol.mocks.schema as SchemaNode;
  if (holdsBytes(asBytes(pick(probe.mocks.simple, isAnswer), schema))) {
    cases.push(
      on('may give bytes in place of a text', async (stage) => {
        addFunction(stage, (request) => {
          const bytes = asBytes(answer(request), schema);
          check(holdsBytes(bytes), 'the answer of the probe has no text that bytes could stand for');
          return bytes;
        });
        checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
      }),
    );
  }
  for (const [name, fail] of [
    ['throws', () => failWith('out of luck')],
    ['rejects', () => Promise.reject(new Error('out of luck'))],
    ['returns no answer', () => ({ out_of_luck: true })],
  ] as const) {
    cases.push(
      on(`one that ${name} is told of, and nothing else notices`, async (stage) => {
        addFunction(stage, fail);
        stage.add('other', { priority: 1 });
        await stage.askLater();
        await stage.called('simple', 1);
        const failure = (): string => String(stage.kind.calls.of('simple').calls[0]?.failure);
        await eventually(stage.timeout, 'the entry says what has failed', () =>
          /out of luck|what it returned/.test(failure()),
        );
        checkEqual('the next answer', await stage.ask('other'), probe.answers.other);
        const told = stage.errors.filter((text) => text.includes(failure()));
        checkEqual('how many lines of the log say what has failed', told.length, 1);
        checkEqual(
          'the other errors in the log',
          stage.errors.filter((text) => !told.includes(text)).join('; '),
          '',
        );
      }),
    );
  }
  if (protocol.meta.transport === 'stream') {
    cases.push(
      on('are told when the client leaves', async (stage) => {
        let signal: AbortSignal | undefined;
        addFunction(stage, (_request, context) => {
          ({ signal } = context);
          return new Promise(() => undefined);
        });
        const { client } = await stage.askLater();
        await stage.called('simple', 1);
        await client.close();
        await eventually(
          stage.timeout,
          'the signal of the function is aborted',
          () => signal?.aborted === true,
        );
      }),
    );
  }
  return cases;
}

function failWith(message: string): never {
  throw new Error(message);
}

function pick(mock: Json, wanted: (name: string) => boolean): Json {
  return Object.fromEntries(Object.entries(mock).filter(([name]) => wanted(name)));
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
}

/** An answer with bytes in place of the texts beside whose fields the schema has one for base64. */
function asBytes(answer: unknown, schema: SchemaNode): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const fields = schema.properties ?? schema.anyOf?.find(({ properties }) => properties)?.properties ?? {};
  const given = Object.entries(answer).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' && fields[`${name}_base64`] !== undefined
      ? Buffer.from(value)
      : asBytes(value, fields[name] ?? {}),
  ]);
  return Object.fromEntries(given);
}

function holdsBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Uint8Array || Object.values(value).some(holdsBytes);
}

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (isBacklotError(thrown) && thrown.status === 400) return thrown.message;
    throw thrown;
  }
  return 'none: it was taken';
}
