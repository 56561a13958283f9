import type { Json } from '../contract/given.js';
import type { ReactionAction } from '../contract/reaction.js';
import type { CompiledWebhook } from '../contract/webhook.js';
import { WebhookSchema } from '../contract/webhook.js';
import type { Problem } from '../errors.js';
import type { KindHost } from '../host/kind-host.js';
import { NotingTools, type HostParts } from '../mocks/compile-tools.js';
import type { Template, ValueTemplate } from '../templates/template.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { createValidator } from '../validation/validator.js';
import type { FindKind } from '../verify/compile-expectation.js';
import { emissionOf } from './emission.js';
import { ACTION_FIELDS } from './reaction-schema.js';

const MOST_DELAY = 3_600_000;

/** What one action does. */
export type CompiledEffect =
  | { readonly type: 'emit'; readonly kind: KindHost; readonly message: ValueTemplate }
  | { readonly type: 'webhook'; readonly kind: string; readonly webhooks: readonly CompiledWebhook[] }
  | { readonly type: 'state'; readonly entries: readonly (readonly [Template, Template | null])[] }
  | { readonly type: 'scenario'; readonly activate?: string; readonly deactivate?: string }
  | {
      readonly type: 'incident';
      readonly start?: string;
      readonly fields?: ValueTemplate;
      readonly stop?: string;
    }
  | { readonly type: 'fault'; readonly faults: readonly (readonly [string, ValueTemplate | null])[] };

/** An action, ready to be done. */
export interface CompiledAction {
  /** Milliseconds of virtual time. */
  readonly after: number;
  readonly effect: CompiledEffect;
}

/** Says what is wrong with an incident that is to begin, or to end where no fields are given. */
export type CheckIncident = (name: string, given?: Json) => readonly Problem[];

/** What actions name. */
export interface ActionNames {
  readonly find: FindKind;
  /** Those of all kinds. */
  readonly names: readonly string[];
  readonly checkIncident: CheckIncident;
}

/** Makes an action ready that has passed the schema; what is wrong is noted by the tools of the result. */
export function compileAction(
  action: ReactionAction,
  at: string,
  { find, names, checkIncident }: ActionNames,
  host: HostParts,
): { readonly action: CompiledAction | undefined; readonly tools: NotingTools } {
  const tools = new NotingTools(host);
  const { after, ...rest } = action;
  const delay = tools.duration(after, `${at}/after`);
  if (delay > MOST_DELAY) tools.problem(`${at}/after`, `"${String(after)}" is too long; at most 1h`);
  const [name, second] = Object.keys(rest);
  if (name === undefined || second !== undefined) {
    const got = name === undefined ? 'none' : Object.keys(rest).join(', ');
    tools.problem(at, `must have one field that says what is done, got ${got}`);
    return { action: undefined, tools };
  }
  const path = pointTo(at, name);
  const given: unknown = rest[name];
  const effect = Object.hasOwn(ACTION_FIELDS, name)
    ? name === 'incident'
      ? compileIncident(given as GivenIncident, path, checkIncident, tools)
      : compileOwn(name as Exclude<keyof typeof ACTION_FIELDS, 'incident'>, given, path, find, tools)
    : compileEmission(name, given, path, find, names, tools);
  return { action: effect && { after: delay, effect }, tools };
}

interface GivenIncident {
  readonly start?: string;
  readonly fields?: Json;
  readonly stop?: string;
}

function compileIncident(
  { start, fields, stop }: GivenIncident,
  at: string,
  check: CheckIncident,
  tools: NotingTools,
): CompiledEffect {
  const hasTemplates = JSON.stringify(fields ?? {}).includes('{{');
  const note = (name: string | undefined, place: string, given?: Json): void => {
    if (name === undefined) return;
    for (const { path, message } of check(name, given))
      tools.problem(path === '' ? place : `${at}/fields${path}`, message);
  };
  // What has templates is checked when the incident begins.
  note(start, `${at}/start`, hasTemplates ? undefined : (fields ?? {}));
  note(stop, `${at}/stop`);
  if (fields !== undefined && start === undefined)
    tools.problem(`${at}/fields`, 'says something of an incident that begins: name it by start');
  return {
    type: 'incident',
    ...(start !== undefined && { start }),
    ...(fields !== undefined && { fields: tools.value(fields, `${at}/fields`) }),
    ...(stop !== undefined && { stop }),
  };
}

function compileOwn(
  name: Exclude<keyof typeof ACTION_FIELDS, 'incident'>,
  given: unknown,
  at: string,
  find: FindKind,
  tools: NotingTools,
): CompiledEffect {
  if (name === 'scenario')
    return { type: 'scenario', ...(given as { activate?: string; deactivate?: string }) };
  const entries = Object.entries(given as Readonly<Record<string, unknown>>);
  const text = { target: 'text' } as const;
  if (name === 'state')
    return {
      type: 'state',
      entries: entries.map(([key, value]) => {
        const place = pointTo(at, key);
        return [
          tools.template(key, place, text),
          value === null ? null : tools.template(value as string, place, text),
        ] as const;
      }),
    };
  return {
    type: 'fault',
    faults: entries.map(([kind, fault]) => {
      const place = pointTo(at, kind);
      if (find(kind)?.fault === undefined) tools.problem(place, `"${kind}" is no protocol with faults`);
      return [kind, fault === null ? null : tools.value(fault, place)] as const;
    }),
  };
}

function compileEmission(
  name: string,
  given: unknown,
  at: string,
  find: FindKind,
  names: readonly string[],
  tools: NotingTools,
): CompiledEffect | undefined {
  const kind = find(name);
  if (kind === undefined) {
    const meant = suggest(name, [...names, ...Object.keys(ACTION_FIELDS)]);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    tools.problem(at, `is no protocol that is installed; those are ${names.join(', ')}${hint}`);
    return undefined;
  }
  if (!kind.enabled) {
    tools.problem(at, `${name} is not enabled, so that it can send nothing`);
    return undefined;
  }
  if (isObject(given) && Object.hasOwn(given, 'webhook')) {
    const { webhook } = given;
    const others = Object.keys(given).filter((field) => field !== 'webhook');
    if (others.length > 0)
      tools.problem(at, `has ${others.join(', ')} beside webhook: leave one of them out`);
    const problems = createValidator(WebhookSchema).check(webhook, `${at}/webhook`);
    for (const { path, message } of problems) tools.problem(path, message);
    if (problems.length > 0) return undefined;
    return {
      type: 'webhook',
      kind: name,
      webhooks: tools.webhooks([webhook as never], `${at}/webhook`) ?? [],
    };
  }
  const emission = emissionOf(kind.protocol);
  if (emission === undefined) {
    tools.problem(
      at,
      `${name} sends nothing by itself; it can only send a webhook: {"webhook": {"url": ...}}`,
    );
    return undefined;
  }
  if (!isObject(given)) {
    tools.problem(at, 'must be an object');
    return undefined;
  }
  checkForm(emission.schema, given, at, tools);
  return { type: 'emit', kind, message: tools.value(given, at) };
}

/** What has templates may be of another type once it is rendered: the names of fields are checked now, and the rest then. */
function checkForm(
  schema: Parameters<typeof createValidator>[0],
  given: Json,
  at: string,
  tools: NotingTools,
): void {
  const hasTemplates = JSON.stringify(given).includes('{{');
  for (const { path, message } of createValidator(schema).check(given, at)) {
    const value = valueAt(given, path.slice(at.length));
    if (hasTemplates && typeof value === 'string' && value.includes('{{')) continue;
    tools.problem(path, message);
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found =
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined;
  }
  return found;
}
