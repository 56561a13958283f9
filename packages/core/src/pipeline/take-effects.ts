import type { Message } from '../contract/message.js';
import { handedOn } from '../journal/trace.js';
import { runSteps } from '../collections/run-operations.js';
import type { Found, Operation } from '../collections/operation.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { DataMatch } from './data-match.js';
import type { MockMatch } from './match.js';
import type { KindRuntime } from './runtime.js';

/** The exchange whose matches take effect. */
export interface EffectiveExchange {
  readonly message: Message;
  readonly runtime: KindRuntime;
  readonly isCurrent: boolean;
  /** Whether a fault fires: then nothing is changed. */
  readonly faulted: boolean;
  /** Its number in the journal, 0 before it has one. */
  readonly number: number;
}

/**
 * What matches do beside answering: operations on collections, the state that they set, what they push into open
 * streams, webhooks.
 *
 * @param isAtOnce - whether nobody can wait
 * @returns a promise only while a long list is read
 */
export function takeEffects(
  exchange: EffectiveExchange,
  matches: readonly MockMatch[],
  isAtOnce = false,
): Promise<void> | undefined {
  let reading: Promise<void> | undefined;
  for (const match of matches) {
    const own = takeEffect(exchange, match, isAtOnce);
    if (own !== undefined)
      reading = reading === undefined ? own : Promise.all([reading, own]).then(() => undefined);
  }
  return reading;
}

function takeEffect(
  exchange: EffectiveExchange,
  match: MockMatch,
  isAtOnce: boolean,
): Promise<void> | undefined {
  if (!(match instanceof DataMatch)) {
    setStateAndFire(exchange, match);
    return undefined;
  }
  if (match.first !== undefined) return undefined;
  const reading = useData(exchange, match, isAtOnce);
  if (reading !== undefined) return reading.then(() => finish(exchange, match));
  finish(exchange, match);
  return undefined;
}

function finish(exchange: EffectiveExchange, match: DataMatch): void {
  keepAnswer(exchange, match);
  setStateAndFire(exchange, match);
}

/** Does the operations of a mock; when a fault fires or a reset has come, only tells what would be. */
function useData(
  { runtime, faulted, isCurrent }: EffectiveExchange,
  match: DataMatch,
  isAtOnce: boolean,
): Promise<void> | undefined {
  const operations = match.mock.data?.operations ?? [];
  if (operations.length === 0) return undefined;
  const steps = runSteps(
    operations,
    match.effectScope('row'),
    runtime.services.collections,
    faulted || !isCurrent,
  );
  const take = (found: Found): void => {
    match.found = found;
  };
  const fail = (thrown: unknown): void => {
    runtime.log.error(`collection ${namesOfCollections(operations)} of mock "${match.mock.id}"`, thrown);
  };
  try {
    const found = isAtOnce ? runAtOnce(steps) : runInSlices(steps);
    if (found instanceof Promise) return found.then(take, fail);
    take(found);
  } catch (thrown) {
    fail(thrown);
  }
  return undefined;
}

/** The names of the collections that operations use, for people. */
export function namesOfCollections(operations: readonly Operation[]): string {
  return [...new Set(operations.map(({ collection }) => `"${collection}"`))].join(', ');
}

function keepAnswer({ runtime, faulted, isCurrent }: EffectiveExchange, match: DataMatch): void {
  const { name, reading, found, asked, call } = match;
  if (name === undefined || reading === undefined || faulted || !isCurrent) return;
  const same = match.mock.data?.once?.same?.render(match.effectScope('same'));
  runtime.services.once.add(name, { message: asked, call, found, same, reading });
}

function setStateAndFire(exchange: EffectiveExchange, match: MockMatch): void {
  if (!exchange.isCurrent) return;
  const { services, log } = exchange.runtime;
  const { stateChanges, emits, id } = match.mock;
  if (stateChanges !== undefined && !exchange.faulted) {
    const scope = scopeOfEffects(match);
    for (const [key, template] of stateChanges) {
      try {
        const name = key.constant ? key.source : key.render(scope);
        if (template === null) services.state.delete(name);
        else services.state.set(name, template.constant ? template.source : template.render(scope));
      } catch (thrown) {
        log.error(`set_state "${key.source}" of mock "${id}" could not be rendered`, thrown);
      }
    }
  }
  if (emits !== undefined && !exchange.faulted)
    services.emitter.emit(emits, { mockId: id, scope: scopeOfEffects(match), log });
  fireWebhooks(exchange, match);
}

/** Sends what a match sends, once what it changes is made. */
export function fireWebhooks(exchange: EffectiveExchange, match: MockMatch): void {
  if (!exchange.isCurrent) return;
  const { services, kind } = exchange.runtime;
  const { compiled, id } = match.mock;
  if (compiled.webhooks !== undefined && services.webhooks?.enabled === true) {
    services.webhooks.fire(compiled.webhooks, {
      protocol: kind,
      mockId: id,
      scope: scopeOfEffects(match),
      trace: handedOn(exchange.message),
      logId: () => (exchange.number === 0 ? undefined : String(exchange.number)),
    });
  }
}

/** An answer that is given again is the same only when nothing but the answer has used its chance. */
export function scopeOfEffects(match: MockMatch): MockMatch['scope'] {
  return match instanceof DataMatch && match.name !== undefined ? match.effectScope('effects') : match.scope;
}
