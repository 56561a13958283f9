import { checkSettings, createValidator } from '@backlot/core';
import { check, checkEqual } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { findClosedness, findUndescribed } from '../schema-walk.js';
import { makeHost, type Subject } from '../stage.js';

const CORE_MOCK = ['id', 'priority', 'state', 'set_state', 'delay', 'times', 'expires'];
const CORE_CONFIG = ['enabled', 'host', 'port', 'tls'];
const CORE_FAULT = ['delay', 'delay_range', 'error_rate', 'enabled', 'phase'];

/** What people see of a kind before anything runs. */
export function declarationCases(subject: Subject): readonly ConformanceCase[] {
  const { protocol } = subject;
  const { meta, mocks, config, fault, capture } = protocol;
  return [
    {
      name: 'says what it is',
      async run() {
        check(meta.title.trim() !== '', 'meta.title must be the name as people write it, it is empty');
        check(
          /^\S.*\.$/s.test(meta.summary),
          `meta.summary must be a sentence that ends with a full stop, got "${meta.summary}"`,
        );
        const { defaultPort } = meta;
        check(
          Number.isInteger(defaultPort) && defaultPort > 0 && defaultPort < 65_536,
          `meta.defaultPort must be 1 to 65535, got ${defaultPort}`,
        );
        check(
          /^[a-z][a-z0-9+.-]*:\/\/.*\{host\}.*\{port\}/.test(meta.url) ||
            /^\{host\}:\{port\}$/.test(meta.url),
          `meta.url must be a connection url with {host} and {port}, got "${meta.url}"`,
        );
        check(
          mocks.noun.trim() !== '' && mocks.configKey.trim() !== '',
          'mocks.noun and mocks.configKey must not be empty',
        );
        for (const [name, targets] of Object.entries(mocks.patchTargets ?? {})) {
          check(
            targets.length > 0 && targets.every((target) => target.startsWith('/')),
            `mocks.patchTargets.${name} must be JSON pointers such as /response, got ${JSON.stringify(targets)}`,
          );
        }
      },
    },
    {
      name: 'has views of fields that there are',
      async run() {
        const shown = [
          ...(capture?.view === undefined
            ? []
            : [{ what: 'capture', schema: capture.schema, view: capture.view }]),
          ...Object.entries(protocol.data ?? {}).flatMap(([what, { schema, view }]) =>
            view === undefined ? [] : [{ what, schema, view }],
          ),
        ];
        for (const { what, schema, view } of shown) {
          for (const [part, field] of Object.entries(view)) {
            if (part === 'as' || part === 'separator' || typeof field !== 'string') continue;
            check(
              field in schema.properties,
              `the view of ${what} has "${field}" as ${part}, which is no field`,
            );
          }
        }
      },
    },
    {
      name: 'describes every property of its schemas and takes no unknown ones',
      async run() {
        const schemas = {
          config,
          mock: mocks.schema,
          ...(fault === undefined ? {} : { fault: fault.schema }),
          ...(capture === undefined ? {} : { capture: capture.schema }),
          ...Object.fromEntries(
            Object.entries(protocol.itemLists ?? {}).map(([name, one]) => [name, one.schema]),
          ),
        };
        checkEqual('properties without a description', findUndescribed(schemas), []);
        const { capture: _outbound, ...inbound } = schemas as Readonly<
          Record<string, (typeof schemas)['mock']>
        >;
        checkEqual('objects without additionalProperties: false', findClosedness(inbound), []);
      },
    },
    {
      name: "leaves core's fields to core",
      async run() {
        const own = (schema: { readonly properties: object }, names: readonly string[]): string[] =>
          names.filter((name) => Object.hasOwn(schema.properties, name));
        checkEqual("mock fields that are core's", own(mocks.schema, CORE_MOCK), []);
        checkEqual("config fields that are core's", own(config, [...CORE_CONFIG, mocks.configKey]), []);
        if (fault !== undefined)
          checkEqual("fault fields that are core's", own(fault.schema, CORE_FAULT), []);
      },
    },
    {
      name: 'needs no settings',
      async run() {
        checkEqual(
          'problems of the settings {}',
          checkSettings({ protocols: [protocol], settings: { [protocol.kind]: {} } }),
          [],
        );
      },
    },
    {
      name: 'has examples that are valid, and a default fault',
      async run() {
        check(mocks.examples.length > 0, 'mocks.examples must hold at least one mock');
        const host = await makeHost(subject);
        try {
          mocks.examples.forEach((example, index) => {
            try {
              host.kind(protocol.kind).mocks.create(example);
            } catch (thrown) {
              check(
                false,
                `mocks.examples[${index}] is refused: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
              );
            }
          });
        } finally {
          await host.stop(0);
        }
        if (fault !== undefined)
          checkEqual('problems of fault.default', createValidator(fault.schema).check(fault.default), []);
      },
    },
  ];
}
