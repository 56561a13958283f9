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

/** A compiled mock. */
export interface CompiledSnmp extends CompiledMock<SnmpMessage> {
  readonly oid: string;
  /** Sorts as the OID does. */
  readonly order: string;
  readonly type: TypeName;
  readonly tag: number;
  /** The binding of a value without tags. */
  readonly fixed: Binding | undefined;
  readonly value: ValueTemplate;
  /** For the further bindings of a request; core waits for the first one's. */
  readonly delay: Delay;
}

/** Compiles a mock; a value without tags is checked and encoded here, others are when they have been rendered. */
export function compileMock(
  mock: ValueOf<typeof MockSchema> & { readonly delay?: DelaySource },
  tools: CompileTools,
  { names }: OidIndex,
): CompiledSnmp {
  const given: GivenValue = mock.value;
  const type: TypeName = mock.type ?? defaultType(given);
  const oid = tools.attempt('/oid', '0.0', () => names.read(mock.oid));
  const value = tools.value(given ?? null, '/value');
  const tag = tagOf(type);
  return {
    oid,
    order: orderKey(oid),
    type,
    tag,
    value,
    fixed: value.constant
      ? tools.attempt('/value', undefined, () => encodeBinding(oid, parseValue(type, given)))
      : undefined,
    delay: delayOf(mock.delay),
    test: (message) => testOid(message, oid, tag),
  };
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
