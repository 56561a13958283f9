import {
  compileDelay,
  type CompiledMock,
  type CompileTools,
  type Delay,
  type DelaySource,
  type TestResult,
  type ValueOf,
  type ValueTemplate,
} from '@backlot/core/plugin';
import type { OidIndex } from './mock-index.js';
import { orderKey } from './oid.js';
import { defaultType, parseValue, tagOf, type GivenValue, type TypeName } from './parse-value.js';
import type { MockSchema } from './schemas.js';
import type { SnmpMessage } from './message.js';
import { TAG } from './wire/tags.js';
import { encodeBinding, type Binding } from './wire/value.js';

/** A compiled mock. A class, since an agent has tens of thousands of them, and a closure for each is as large as the mock. */
export class CompiledSnmp implements CompiledMock<SnmpMessage> {
  /** Sorts as the OID does. */
  readonly order: string;
  readonly tag: number;
  readonly #given: GivenValue;
  #binding: Binding | undefined;

  /**
   * @param given - the value as it is, where it has no tags
   * @param value - the value where it has tags
   * @param delay - for the further bindings of a request; core waits for the first one's
   */
  constructor(
    readonly oid: string,
    readonly type: TypeName,
    given: GivenValue,
    readonly value: ValueTemplate | undefined,
    readonly delay: Delay,
  ) {
    this.order = orderKey(oid);
    this.tag = tagOf(type);
    this.#given = given;
  }

  /** The binding of a value without tags, encoded when it is first asked for: of very many objects few are. */
  get fixed(): Binding {
    return (this.#binding ??= encodeBinding(this.oid, parseValue(this.type, this.#given)));
  }

  test(message: SnmpMessage): TestResult {
    return testOid(message, this.oid, this.tag);
  }
}

/** Compiles a mock; a value without tags is checked here, others are when they have been rendered. */
export function compileMock(
  mock: ValueOf<typeof MockSchema> & { readonly delay?: DelaySource },
  tools: CompileTools,
  { names }: OidIndex,
): CompiledSnmp {
  const given: GivenValue = mock.value;
  const type: TypeName = mock.type ?? defaultType(given);
  const oid = tools.attempt('/oid', '0.0', () => names.read(mock.oid));
  const value = tools.value(given ?? null, '/value');
  if (!value.constant) return new CompiledSnmp(oid, type, undefined, value, delayOf(mock.delay));
  tools.attempt('/value', undefined, () => encodeBinding(oid, parseValue(type, given)));
  return new CompiledSnmp(oid, type, given, undefined, delayOf(mock.delay));
}

function testOid(message: SnmpMessage, oid: string, tag: number): TestResult {
  if (message.asksForNext) {
    if (message.target !== undefined ? message.target !== oid : orderKey(message.path) >= orderKey(oid)) {
      return () => `OID: ${oid} is not what follows ${message.path}`;
    }
  } else if (message.path !== oid) return () => `OID: got ${message.path}, want ${oid}`;
  // RFC 3584 section 4.2.2.1: for SNMPv1 such objects are as if absent.
  if (tag === TAG.counter64 && message.request.version === '1') return 'a counter64 does not exist in SNMPv1';
  return true;
}

function delayOf(given: DelaySource | undefined): Delay {
  try {
    return compileDelay(given, '/delay');
  } catch {
    // Core refuses the mock for it.
    return 0;
  }
}
