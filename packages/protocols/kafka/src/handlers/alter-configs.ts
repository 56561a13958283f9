import { problemOfConfig, TOPIC_CONFIGS } from '../broker/configs.js';
import type { RequestOf } from '../wire/api.js';
import type { alterConfigs } from '../wire/apis/alter-configs.js';
import type { incrementalAlterConfigs } from '../wire/apis/incremental-alter-configs.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler, Services } from './call.js';
import { knownConfigs, refusalOf } from './configs.js';
import { mapInSteps } from './in-steps.js';

/** What is done to a setting (KIP-339). */
const OPERATION = { set: 0, delete: 1, append: 2, subtract: 3 } as const;

type Change = RequestOf<typeof incrementalAlterConfigs>['resources'][number]['configs'][number];

interface Resource {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly configs: readonly Change[];
}

/** Puts what is given in place of all settings, as the older request has it. */
export const handleAlterConfigs: Handler<typeof alterConfigs> = function* (request, call, services) {
  const resources = request.resources.map((resource) => ({
    ...resource,
    configs: resource.configs.map((config) => ({ ...config, configOperation: OPERATION.set })),
  }));
  return { responses: yield* alterAll(resources, request.validateOnly, true, call, services) };
};

export const handleIncrementalAlterConfigs: Handler<typeof incrementalAlterConfigs> = function* (
  request,
  call,
  services,
) {
  return { responses: yield* alterAll(request.resources, request.validateOnly, false, call, services) };
};

function* alterAll(
  resources: readonly Resource[],
  isOnlyChecked: boolean,
  isWhole: boolean,
  call: Call,
  services: Services,
) {
  const seen = new Set<string>();
  return yield* mapInSteps(resources, (resource) => {
    const { resourceType, resourceName } = resource;
    const key = `${resourceType}/${resourceName}`;
    const refusal = seen.has(key)
      ? refuse(ERROR.INVALID_REQUEST, `The resource ${JSON.stringify(resourceName)} is in the request twice.`)
      : (refusalOf(resource, 'alter_configs', call) ?? alter(resource, isOnlyChecked, isWhole, services));
    seen.add(key);
    return { resourceType, resourceName, ...refusal };
  });
}

/** Changes the settings of a topic, all or none. @returns why not */
function alter(resource: Resource, isOnlyChecked: boolean, isWhole: boolean, services: Services) {
  const known = knownConfigs({ ...resource, configurationKeys: null }, services);
  if ('errorCode' in known) return known;
  const topic = services.broker.find(resource.resourceName);
  if (known.isReadOnly || topic === undefined) {
    return refuse(
      ERROR.INVALID_REQUEST,
      'The settings of the broker cannot be changed, those of topics can.',
    );
  }
  const changed = new Map(isWhole ? [] : topic.configs);
  const names = new Set<string>();
  for (const change of resource.configs) {
    const { name } = change;
    if (names.has(name)) return refuse(ERROR.INVALID_REQUEST, `The setting ${name} is in the request twice.`);
    names.add(name);
    const refusal = apply(change, changed);
    if (refusal !== undefined) return refusal;
  }
  if (isOnlyChecked) return undefined;
  topic.configs.clear();
  for (const [name, value] of changed) topic.configs.set(name, value);
  return undefined;
}

/** @returns why not */
function apply({ name, configOperation, value }: Change, configs: Map<string, string | null>) {
  const entry = TOPIC_CONFIGS.find((config) => config.name === name);
  if (configOperation === OPERATION.delete && entry !== undefined) {
    configs.delete(name);
    return undefined;
  }
  if (value === null) return refuse(ERROR.INVALID_CONFIG, `The setting ${name} has no value.`);
  const next = valueAfter(configOperation, value, configs.get(name) ?? entry?.value ?? '');
  if (next === undefined) {
    return refuse(ERROR.INVALID_REQUEST, `There is no operation ${configOperation}; use 0 to 3.`);
  }
  const isOfLists = configOperation !== OPERATION.set;
  const problem = problemOfConfig(name, next, isOfLists);
  if (problem !== undefined) return refuse(ERROR.INVALID_CONFIG, problem);
  configs.set(name, next);
  return undefined;
}

function valueAfter(operation: number, value: string, before: string): string | undefined {
  if (operation === OPERATION.set) return value;
  const items = before.split(',').filter((item) => item !== '');
  const given = value.split(',');
  if (operation === OPERATION.append) return [...new Set([...items, ...given])].join(',');
  if (operation !== OPERATION.subtract) return undefined;
  const dropped = new Set(given);
  return items.filter((item) => !dropped.has(item)).join(',');
}

function refuse(errorCode: number, errorMessage: string) {
  return { errorCode, errorMessage };
}
