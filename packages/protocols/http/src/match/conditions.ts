import {
  LATER,
  testAny,
  type CompileTools,
  type Miss,
  type PatternSource,
  type Pointer,
} from '@backlot/core/plugin';
import { compileAuth } from '../auth/index.js';
import { compileForm } from './form.js';
import { compileParts } from './parts.js';
import type { HttpMessage } from '../message.js';
import type { RequestFields } from '../schemas/request.js';

/**
 * One thing that a request must fulfil; `true`, why it does not, an authentication challenge, or that its long body is to be
 * decoded first.
 */
export type Condition = (
  message: HttpMessage,
) => true | Miss | typeof LATER | { readonly challenge: unknown };

/** A place inside a mock. */
export function pointer(base: Pointer, key: string | number): Pointer {
  return `${base}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The conditions of a mock beside its path and method, cheap ones first; authentication last, as it may challenge. */
export function compileConditions(
  request: RequestFields,
  tools: CompileTools,
  at: Pointer,
): readonly Condition[] {
  const conditions: Condition[] = [];
  if (request.host !== undefined) addHost(conditions, request.host, tools, pointer(at, 'host'));
  addFields(
    conditions,
    request.headers,
    tools,
    pointer(at, 'headers'),
    'header',
    (message, name) => message.headerValues(name),
    true,
  );
  addFields(
    conditions,
    request.query,
    tools,
    pointer(at, 'query'),
    'query',
    (message, name) => message.query[name],
  );
  if (request.no_other_query === true) conditions.push(onlyQuery(Object.keys(request.query ?? {})));
  addFields(
    conditions,
    request.cookies,
    tools,
    pointer(at, 'cookies'),
    'cookie',
    (message, name) => message.cookies[name],
  );
  const authentication = compileAuthentication(request, tools, pointer(at, 'auth'));
  const before = conditions.length;
  if (request.body !== undefined) addBody(conditions, request.body, tools, pointer(at, 'body'));
  conditions.push(...compileForm(request.form, tools, pointer(at, 'form')));
  conditions.push(...compileParts(request.parts, tools, pointer(at, 'parts')));
  addJson(conditions, request.body_json, tools, pointer(at, 'body_json'));
  if (authentication !== undefined) {
    if (conditions.length > before) conditions.splice(before, 0, challengeEarly(authentication));
    conditions.push(authentication);
  }
  return conditions;
}

function onlyQuery(names: readonly string[]): Condition {
  const known = new Set(names);
  return ({ query }) => {
    for (const name in query)
      if (!known.has(name)) return `query ${name}: got a parameter that the mock does not name`;
    return true;
  };
}

function compileAuthentication(
  request: RequestFields,
  tools: CompileTools,
  at: Pointer,
): Condition | undefined {
  if (request.auth === undefined) return undefined;
  const auth = compileAuth(request.auth, tools, at);
  return (message) =>
    auth.test({
      headers: message.headersByLine,
      query: message.query,
      method: message.method,
      target: message.target,
      connection: message.auth,
      message,
      ...(message.body === undefined ? {} : { body: message.body }),
    });
}

/**
 * A client that expects to be challenged keeps its body back until it has been (curl does, for digest and NTLM), so
 * a request without one is challenged before conditions on the body can fail.
 */
function challengeEarly(authentication: Condition): Condition {
  return (message) => {
    if (message.body !== undefined) return true;
    const result = authentication(message);
    return typeof result === 'object' ? result : true;
  };
}

function addFields(
  conditions: Condition[],
  patterns: Readonly<Record<string, PatternSource>> | undefined,
  tools: CompileTools,
  at: Pointer,
  label: string,
  read: (message: HttpMessage, name: string) => string | readonly string[] | undefined,
  lowerCase = false,
): void {
  for (const [name, source] of Object.entries(patterns ?? {})) {
    const pattern = tools.pattern(source, pointer(at, name));
    if (pattern.any) continue;
    const key = lowerCase ? name.toLowerCase() : name;
    conditions.push((message) => {
      const value = read(message, key);
      return (
        testAny(pattern, value, message) || (() => pattern.reason(`${label} ${name}`, joined(value), message))
      );
    });
  }
}

function addHost(conditions: Condition[], source: PatternSource, tools: CompileTools, at: Pointer): void {
  const pattern = tools.pattern(source, at);
  if (pattern.any) return;
  conditions.push(
    (message) => pattern.test(message.host, message) || (() => pattern.reason('host', message.host, message)),
  );
}

function addBody(conditions: Condition[], source: PatternSource, tools: CompileTools, at: Pointer): void {
  const pattern = tools.pattern(source, at);
  if (pattern.any) return;
  conditions.push((message) =>
    message.hasToWait('text')
      ? LATER
      : pattern.test(message.text, message) || (() => pattern.reason('body', message.text, message)),
  );
}

function addJson(
  conditions: Condition[],
  patterns: RequestFields['body_json'],
  tools: CompileTools,
  at: Pointer,
): void {
  for (const condition of tools.places(patterns, at, { label: 'body_json' })) {
    if (condition.any) continue;
    conditions.push((message) => {
      if (message.hasToWait('json')) return LATER;
      const result = condition.test(message.json, message);
      return result === true || message.isJson
        ? result
        : `body_json ${condition.place}: the body is not JSON`;
    });
  }
}

function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}
