import { describe, expect, it } from '@jest/globals';
import { createHost, type Host, type Protocol, type TypesOf } from '../src/index.js';
import type {
  CORE_CONFIG_FIELDS,
  CORE_FAULT_FIELDS,
  CORE_MOCK_FIELDS,
  STREAM_FAULT_FIELDS,
  TLS_FAULT_FIELDS,
  StartTlsSchema,
} from '../src/contract/schema.js';
import type { Given } from '../src/contract/given.js';
import type { Same } from '../src/contract/same-types.js';
import {
  defineProtocol,
  type TlsSchema,
  Type,
  type WebhookSchema,
  type FaultFields,
  type MockFields,
  type SameTypes,
  type Service,
  type SettingsFields,
  type StartTlsFields,
  type Static,
  type StreamFaultFields,
  type TlsFields,
  type TObject,
  type WebhookDefinition,
} from '../src/plugin.js';

const service: Service = {
  start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }),
  stop: () => Promise.resolve(),
};
const meta = {
  summary: 'A test plugin.',
  transport: 'stream',
  defaultPort: 1,
  url: 'x://{host}:{port}',
} as const;

/** Has everything that a kind can have. */
const rich = defineProtocol({
  kind: 'rich',
  meta: { title: 'Rich', ...meta },
  config: Type.Object({ size: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  mocks: {
    noun: 'rule',
    configKey: 'rules',
    mode: 'first',
    schema: Type.Object(
      { path: Type.String(), codes: Type.Optional(Type.Array(Type.Integer())) },
      { additionalProperties: false },
    ),
    examples: [],
    compile: () => ({ test: () => true as const }),
  },
  itemLists: {
    targets: {
      noun: 'target',
      summary: 'Where it goes.',
      schema: Type.Object({ url: Type.String(), tags: Type.Optional(Type.Array(Type.String())) }),
      path: '/api/rich/targets',
      configKey: 'targets',
    },
  },
  fault: { schema: Type.Object({ text: Type.Optional(Type.String()) }), default: { text: 'x' } },
  capture: { schema: Type.Object({ subject: Type.String() }) },
  create: () => service,
});

/** Has nothing but mocks. */
const plain = defineProtocol({
  kind: 'plain',
  meta: { title: 'Plain', ...meta },
  config: Type.Object({}, { additionalProperties: false }),
  mocks: {
    noun: 'mock',
    configKey: 'mocks',
    mode: 'first',
    schema: Type.Object({ match: Type.String() }, { additionalProperties: false }),
    examples: [],
    compile: () => ({ test: () => true as const }),
  },
  create: () => service,
});

/** Never called: the compiler checks it, and complains about each expected error that is none. */
export async function checkTypes(host: Host): Promise<void> {
  const kind = host.kind(rich);
  const name: 'rich' = kind.kind;
  const subject: string | undefined = kind.captures.values()[0]?.subject;
  const path: string = kind.mocks.create({ path: name, codes: [1] as const, times: 1 }).path;
  const text: string | undefined = kind.fault.set({ text: path, error_rate: 1 }).text;
  const url: string | undefined = kind.itemLists.get('targets').list()[0]?.url;
  kind.itemLists.get('targets').create({ id: 'a', url: url ?? subject ?? text ?? '', tags: ['b'] as const });
  const status: string | number | undefined = host.journal.list()[0]?.status;
  host.kind('of any name').mocks.create({ anything: status });
  const none: undefined = host.kind(plain).fault;
  const settings = { rich: { port: 0, rules: [{ path: 'x', id: 'a' }], targets: [{ url: 'x' }] } } as const;
  await createHost({ protocols: [rich, plain], settings });
  const kinds: 'rich' | 'plain' = null as unknown as TypesOf<typeof rich | typeof plain>['kind'];

  // @ts-expect-error a typing error in a mock
  kind.mocks.create({ pth: 'x' });
  // @ts-expect-error a wrong type in a mock
  kind.mocks.create({ path: 7 });
  // @ts-expect-error a typing error in a fault
  kind.fault.set({ txt: 'x' });
  // @ts-expect-error a typing error in an item
  kind.itemLists.get('targets').create({ uri: 'x' });
  // @ts-expect-error plain has no faults
  host.kind(plain).fault.set({});
  // @ts-expect-error plain captures nothing
  host.kind(plain).captures.values();
  // @ts-expect-error a typing error in a setting
  await createHost({ protocols: [rich], settings: { rich: { sise: 1 } } });
  // @ts-expect-error its mocks are called rules
  await createHost({ protocols: [rich], settings: { rich: { mocks: [] } } });
  // @ts-expect-error a typing error in an item of the settings
  await createHost({ protocols: [rich], settings: { rich: { targets: [{ uri: 'x' }] } } });
  // @ts-expect-error a protocol that is not there
  await createHost({ protocols: [rich], settings: { plain: {} } });
  void [none, kinds];

  type Rich = TypesOf<typeof rich>;
  const same: SameTypes<typeof rich, typeof rich> = true;
  const without: SameTypes<
    Protocol<Omit<Rich, 'mock'> & { mock: Omit<Rich['mock'], 'codes'> }>,
    typeof rich
  > = 'mock';
  const other: SameTypes<Protocol<Omit<Rich, 'list'> & { list: 'mocks' }>, typeof rich> = 'list';
  void [same, without, other];
}

/** Fails to compile when the generated fields are not those of the schemas. */
export const fields: readonly [
  Same<MockFields, Given<Static<TObject<typeof CORE_MOCK_FIELDS>>>>,
  Same<FaultFields, Given<Static<TObject<typeof CORE_FAULT_FIELDS>>>>,
  Same<
    StreamFaultFields,
    Given<Static<TObject<typeof CORE_FAULT_FIELDS & typeof STREAM_FAULT_FIELDS & typeof TLS_FAULT_FIELDS>>>
  >,
  Same<SettingsFields, Given<Static<TObject<typeof CORE_CONFIG_FIELDS>>>>,
  Same<TlsFields, Given<Static<typeof TlsSchema>>>,
  Same<StartTlsFields, Given<Static<typeof StartTlsSchema>>>,
  Same<WebhookDefinition, Given<Static<typeof WebhookSchema>>>,
] = [true, true, true, true, true, true, true];

describe('types', () => {
  it('are those of the declaration', async () => {
    const host = await createHost({
      protocols: [rich, plain],
      settings: { rich: { rules: [{ id: 'a', path: 'x' }], targets: [{ id: 'b', url: 'y' }] } },
    });
    expect(host.kind(rich).mocks.get('a').path).toBe('x');
    expect(host.kind(rich).itemLists.get('targets').get('b').url).toBe('y');
    await host.stop(0);
  });

  it('find an item list under its name in the settings', () => {
    const targets = { ...rich.itemLists?.['targets'], configKey: 'goals' };
    expect(() => defineProtocol({ ...rich, itemLists: { targets } } as never)).toThrow(
      'item list "targets" of rich must have its own name as configKey, got "goals"',
    );
  });
});
