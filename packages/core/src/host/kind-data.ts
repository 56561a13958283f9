import type { DataDeclaration, DataEntry, DataSection } from '../contract/data.js';
import type { Json } from '../contract/given.js';
import type { KindData } from '../contract/kind.js';
import type { Protocol } from '../contract/protocol.js';
import type { Service } from '../contract/service.js';
import type { TObject } from '../contract/shape.js';
import { BacklotError, invalid } from '../errors.js';
import { afterRealTime, realElapsed } from '../time/clock-real.js';
import { runInSlices } from '../time/slices.js';
import { show } from '../validation/messages.js';
import { isObject } from '../validation/pointer.js';
import { createValidator } from '../validation/validator.js';

/** Milliseconds after which somebody who waits looks again. Data does not tell of its changes. */
const LOOK_AGAIN = 20;

/** What the data of a kind is read from. */
interface DataOwner {
  readonly kind: string;
  readonly protocol: Protocol;
  readonly service: Service | undefined;
}

/** The data of the running service of a kind, and sending messages by it. */
export class ServiceData implements KindData {
  readonly #owner: DataOwner;

  constructor(owner: DataOwner) {
    this.#owner = owner;
  }

  get sections(): readonly string[] {
    return Object.keys(this.#owner.protocol.data ?? {});
  }

  size(section: string): number {
    return this.#open(section).held.size;
  }

  entries(section: string): Iterable<DataEntry> {
    return this.#open(section).held.entries();
  }

  get(section: string, id: string): Json {
    const { held, declared } = this.#open(section);
    const entry = held.find(id)?.read();
    if (entry === undefined) throw noEntry(declared, id);
    return entry;
  }

  async put(section: string, entry: unknown): Promise<Json> {
    const { held, declared } = this.#open(section);
    if (declared.put === undefined || held.put === undefined) {
      throw new BacklotError('method_not_allowed', `a ${declared.noun} is made by clients only`);
    }
    check(`a ${declared.noun}`, declared.put.schema, entry);
    return this.get(section, await held.put(entry));
  }

  async remove(section: string, id: string): Promise<void> {
    const { held, declared } = this.#open(section);
    if (declared.remove !== true || held.remove === undefined) {
      throw new BacklotError('method_not_allowed', `a ${declared.noun} is removed by clients only`);
    }
    if (held.find(id) === undefined) throw noEntry(declared, id);
    await held.remove(id);
  }

  async wait(
    section: string,
    fits: (entry: Json) => Iterator<unknown, boolean>,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<readonly Json[]> {
    const { declared } = this.#open(section);
    const end = realElapsed() + timeout;
    for (;;) {
      // Asked for anew each time: the service may have been stopped.
      const { held } = this.#open(section);
      const found = await runInSlices(look(held, fits, Math.max(count, 1)), signal);
      if (count === 0 ? found.length === 0 : found.length >= count) return found;
      const left = end - realElapsed();
      if (left <= 0) throw late(declared, count, found.length);
      await pause(Math.min(LOOK_AGAIN, left), signal);
    }
  }

  async publish(message: unknown): Promise<Json> {
    const { protocol, kind } = this.#owner;
    const { publish } = protocol;
    if (publish === undefined) throw new BacklotError('not_found', `${kind} publishes no messages`);
    const service = this.#service();
    check('the message', publish.schema, message);
    if (service.publish === undefined) {
      throw new BacklotError('internal', `the plugin of ${kind} declares publish, and its service has none`);
    }
    return service.publish(message);
  }

  #service(): Service {
    const { service, kind } = this.#owner;
    if (service === undefined) throw new BacklotError('not_enabled', `${kind} protocol not running`);
    return service;
  }

  #open(section: string): { readonly declared: DataDeclaration; readonly held: DataSection } {
    const { protocol, kind } = this.#owner;
    const { data = {} } = protocol;
    const declared = Object.hasOwn(data, section) ? data[section] : undefined;
    if (declared === undefined) {
      const names = Object.keys(data).join(', ') || 'none';
      throw new BacklotError('not_found', `${kind} has no data ${show(section)}; there is ${names}`);
    }
    const held = this.#service().data?.[section];
    if (held === undefined) {
      throw new BacklotError(
        'internal',
        `the plugin of ${kind} declares data that its service does not have`,
      );
    }
    return { declared, held };
  }
}

function check(what: string, schema: TObject, value: unknown): asserts value is Json {
  const problems = isObject(value)
    ? createValidator(schema).check(value)
    : [{ path: '', message: `must be an object, got ${show(value)}` }];
  const [first] = problems;
  if (first !== undefined) throw invalid(`${what} ${first.path}: ${first.message}`, problems);
}

function* look(
  held: DataSection,
  fits: (entry: Json) => Iterator<unknown, boolean>,
  wanted: number,
): Generator<void, readonly Json[]> {
  const found: Json[] = [];
  for (const each of held.entries()) {
    const entry = each.read();
    yield;
    if (entry === undefined) continue;
    const steps = fits(entry);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield;
    if (step.value) found.push(entry);
    if (found.length === wanted) break;
  }
  return found;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      timer.cancel();
      reject(new BacklotError('cancelled', 'the wait for data was given up'));
    };
    const timer = afterRealTime(milliseconds, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
  });
}

function noEntry({ noun }: DataDeclaration, id: string): BacklotError {
  return new BacklotError('not_found', `no ${noun} ${show(id)}`);
}

function late({ noun }: DataDeclaration, want: number, got: number): BacklotError {
  const few = got === 0 ? `no ${noun} fits` : `only ${got} fit, each a ${noun}`;
  const text = want === 0 ? `a ${noun} still fits, want none` : `${few}; want ${want}`;
  return new BacklotError('timeout', text, { fields: { want, got } });
}
