import {
  pointTo,
  type CompileTools,
  type DelaySource,
  type PlaceSource,
  type TestResult,
  type ValueTemplate,
} from '@backlot/core/plugin';
import { compileClose, withoutPause, type Answer, type Part, type Step } from '../answer.js';
import type { WebsocketMessage } from '../message.js';
import type { Rule } from '../rule.js';
import type { RuleFields, WebsocketFields } from '../schemas.js';
import { FIELDS, type DialectName } from './fields.js';
import type { Saying } from './saying.js';

/** What a client is sent as it enters. */
export interface Greeting extends Answer {
  /** Why it is not let in, a value in the terms of the dialect. */
  readonly error?: ValueTemplate | undefined;
  /** What it is let in with, where the dialect has that. */
  readonly reply?: ValueTemplate | undefined;
}

/** Compiles `on_connect` of a mock in a dialect. */
export function compileEntry(
  fields: NonNullable<WebsocketFields['on_connect']>,
  dialect: DialectName,
  tools: CompileTools,
): Greeting {
  const at = '/on_connect';
  const first: Step = { parts: [], delay: tools.delay(fields.delay, `${at}/delay`) };
  const steps = withoutPause(first, compileSent(fields.send, dialect, tools, `${at}/send`));
  return {
    steps,
    isEmpty: steps.every((step) => step.parts.length === 0),
    close: undefined,
    error: valueOf(fields.error, tools, `${at}/error`),
    reply: valueOf(fields.reply, tools, `${at}/reply`),
  };
}

/** Compiles a rule of a mock in a dialect. */
export function compileDialectRule(
  rule: RuleFields,
  dialect: DialectName,
  tools: CompileTools,
  at: string,
): Rule {
  const names = FIELDS[dialect];
  const wanted = rule[names.name] ?? '';
  const pattern = wanted === '' ? undefined : tools.pattern(wanted, `${at}/${names.name}`);
  const conditions = compileContentMatch(rule, dialect, tools, at);
  const test = (message: WebsocketMessage): TestResult => {
    const { unit } = message;
    if (unit === undefined) return `dialect: the message is none of ${dialect}`;
    if (pattern?.test(unit.name, message) === false)
      return () => pattern.reason(names.name, unit.name, message);
    for (const condition of conditions) {
      const result = condition.test(unit.content, message);
      if (result !== true) return result;
    }
    return true;
  };
  return {
    answer: compileDialectAnswer(rule, dialect, tools, at),
    exact: pattern?.exact === undefined ? undefined : { texts: [pattern.exact], bytes: [] },
    test,
    describe: () =>
      [
        ...(pattern === undefined ? [] : [`${names.name} ${pattern.describe()}`]),
        ...(conditions.length === 0 ? [] : [`its ${names.content}`]),
      ].join(' with ') || 'any',
  };
}

function compileContentMatch(
  rule: RuleFields,
  dialect: DialectName,
  tools: CompileTools,
  at: string,
): ReturnType<CompileTools['places']> {
  const { content } = FIELDS[dialect];
  const { args, payload } = rule;
  const source: Readonly<Record<string, PlaceSource>> | undefined =
    content === 'payload'
      ? payload
      : args && Object.fromEntries(args.map((item, index) => [String(index), item]));
  return tools.places(source, `${at}/${content}`, { label: content }).filter(({ any }) => !any);
}

function compileDialectAnswer(
  rule: RuleFields,
  dialect: DialectName,
  tools: CompileTools,
  at: string,
): Answer {
  const { answer: term } = FIELDS[dialect];
  const { error, items } = rule;
  const answer = rule[term];
  if (answer !== undefined && error !== undefined)
    tools.problem(`${at}/error`, `error cannot stand beside ${term}: one of them answers`);
  if (items !== undefined && (answer !== undefined || error !== undefined) && answer !== undefined)
    tools.problem(
      `${at}/items`,
      `items cannot stand beside ${term}: they are a stream, which has no ${term}`,
    );
  if (rule.interval !== undefined && items === undefined)
    tools.problem(`${at}/interval`, 'interval is the pause before each of "items", and there are none');
  const last: Part | undefined =
    error !== undefined
      ? saying('error', 'error', error, tools, `${at}/error`)
      : answer !== undefined
        ? saying('answer', term, answer, tools, `${at}/${term}`)
        : dialect === 'signalr'
          ? saying('end', '', undefined, tools, at)
          : undefined;
  const lasts = last === undefined ? [] : [last];
  const delay = tools.delay(rule.delay, `${at}/delay`);
  const interval = tools.delay(rule.interval, `${at}/interval`);
  const sent = compileSent(rule.send, dialect, tools, `${at}/send`);
  const streamed = (items ?? []).map((item, index) => ({
    parts: [saying('item', 'item', item, tools, `${at}/items/${index}`)],
    delay: interval,
  }));
  const first: Step = { parts: items === undefined ? lasts : [], delay };
  const steps = withoutPause(first, [
    ...streamed,
    ...(items === undefined ? [] : [{ parts: lasts, delay: 0 }]),
    ...sent,
  ]);
  return {
    steps,
    isEmpty: steps.every((step) => step.parts.length === 0),
    close: compileClose(rule.close, tools, `${at}/close`),
  };
}

/** Compiles events that the server sends. */
function compileSent(
  list: string | readonly (string | SentFields)[] | undefined,
  dialect: DialectName,
  tools: CompileTools,
  at: string,
): Step[] {
  if (list === undefined) return [];
  const { name, content } = FIELDS[dialect];
  if (typeof list === 'string') {
    tools.problem(at, `must be a list of {${name}, ${content}} in the dialect ${dialect}`);
    return [];
  }
  return list.map((item, index) => {
    const place = pointTo(at, index);
    if (typeof item === 'string' || item[name] === undefined) {
      tools.problem(place, `must have the ${name} in the dialect ${dialect}: {${name}, ${content}}`);
      return { parts: [], delay: 0 };
    }
    const { delay, ...said } = item;
    const value = tools.value(said, place, { bytes: true });
    return {
      parts: [{ say: 'event', term: '', value } satisfies Saying],
      delay: tools.delay(delay, `${place}/delay`),
    };
  });
}

interface SentFields {
  readonly event?: string;
  readonly target?: string;
  readonly args?: readonly unknown[];
  readonly payload?: unknown;
  readonly delay?: DelaySource;
}

function saying(say: Saying['say'], term: string, source: unknown, tools: CompileTools, at: string): Saying {
  return { say, term, value: tools.value(source, at, { bytes: true }) };
}

function valueOf(source: unknown, tools: CompileTools, at: string): ValueTemplate | undefined {
  return source === undefined ? undefined : tools.value(source, at, { bytes: true });
}
