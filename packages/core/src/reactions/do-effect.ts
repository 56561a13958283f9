import type { Json } from '../contract/given.js';
import type { Host } from '../contract/host.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { Message } from '../contract/message.js';
import type { Protocol } from '../contract/protocol.js';
import { handedOn } from '../journal/trace.js';
import { isObject } from '../validation/pointer.js';
import type { Scope } from '../pipeline/scope.js';
import type { StateStore } from '../stores/state-store.js';
import type { StreamStore } from '../stores/stream-store.js';
import type { WebhookSender } from '../contract/webhook.js';
import type { CompiledEffect } from './compile-action.js';
import { emit } from './emission.js';

/** What actions act on. */
export interface EffectTargets {
  readonly state: StateStore;
  readonly faults: FaultStore;
  readonly scenarios: Host['scenarios'];
  readonly incidents: Host['incidents'];
  readonly streams: StreamStore;
  readonly webhooks: WebhookSender | undefined;
}

/**
 * Does what an action says.
 *
 * @param scope - what its templates see
 * @param id - the id of the reaction
 * @returns a promise where it takes longer
 * @throws what is wrong with it
 */
export function doEffect(
  effect: CompiledEffect,
  targets: EffectTargets,
  scope: Scope,
  id: string,
  logId: string | undefined,
): unknown {
  switch (effect.type) {
    case 'emit':
      return emit(
        effect.kind,
        targets.streams,
        withTrace(effect.message.render(scope), effect.kind.protocol, scope.message),
      );
    case 'webhook':
      if (targets.webhooks?.enabled !== true) throw new Error('webhooks are not enabled');
      return targets.webhooks.fire(effect.webhooks, {
        protocol: effect.kind,
        mockId: id,
        scope,
        trace: handedOn(scope.message),
        logId: () => logId,
      });
    case 'state':
      for (const [key, value] of effect.entries) {
        const name = key.render(scope);
        if (value === null) targets.state.delete(name);
        else targets.state.set(name, value.render(scope));
      }
      return undefined;
    case 'scenario':
      if (effect.activate !== undefined) targets.scenarios.activate(effect.activate);
      if (effect.deactivate !== undefined) targets.scenarios.deactivate(effect.deactivate);
      return undefined;
    case 'incident':
      if (effect.stop !== undefined) targets.incidents.stop(effect.stop);
      if (effect.start === undefined) return undefined;
      return targets.incidents.start(effect.start, effect.fields?.render(scope) as Json | undefined);
    case 'fault':
      for (const [kind, fault] of effect.faults) {
        if (fault === null) targets.faults.clear(kind);
        else targets.faults.set(kind, fault.render(scope));
      }
      return undefined;
  }
}

/** A message that is sent, in the trace of the one that has caused it, where its kind has headers; those that it has itself win. */
function withTrace(message: unknown, { emits, publish }: Protocol, cause: Message | undefined): unknown {
  const trace = handedOn(cause);
  const at = emits === undefined ? publish?.headersAt : undefined;
  return trace === undefined || at === undefined ? message : withHeaders(message, at, trace);
}

function withHeaders(value: unknown, [name, ...rest]: readonly string[], headers: object): unknown {
  if (!isObject(value)) return value;
  if (name === undefined) return { ...headers, ...value };
  return { ...value, [name]: withHeaders(value[name] ?? {}, rest, headers) };
}
