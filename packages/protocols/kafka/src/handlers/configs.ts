import { CLUSTER_NAME, type Operation } from '../broker/acl.js';
import { brokerConfigs, TOPIC_CONFIGS, type ConfigEntry } from '../broker/configs.js';
import type { RequestOf } from '../wire/api.js';
import type { describeConfigs } from '../wire/apis/describe-configs.js';
import { ERROR } from '../wire/errors.js';
import { NODE_ID, type Call, type Handler, type Services } from './call.js';
import { mapInSteps } from './in-steps.js';

const TOPIC = 2;
const BROKER = 4;
const DEFAULT_SOURCE = 5;
const TOPIC_SOURCE = 1;

type Resource = RequestOf<typeof describeConfigs>['resources'][number];

export const handleDescribeConfigs: Handler<typeof describeConfigs> = function* (request, call, services) {
  return {
    results: yield* mapInSteps(request.resources, (resource) => {
      const { resourceType, resourceName, configurationKeys: keys } = resource;
      const known = refusalOf(resource, 'describe_configs', call) ?? knownConfigs(resource, services);
      if ('errorCode' in known) return { resourceType, resourceName, ...known };
      const configs = known.entries
        .filter(({ name }) => keys === null || keys.length === 0 || keys.includes(name))
        .map((entry) =>
          describe(entry, known.given.get(entry.name), known.isReadOnly, request.includeSynonyms),
        );
      return { resourceType, resourceName, configs };
    }),
  };
};

/** Why a client may not do something with settings; `undefined` when it may. */
export function refusalOf(
  { resourceType, resourceName }: Pick<Resource, 'resourceType' | 'resourceName'>,
  operation: Operation,
  call: Call,
): { readonly errorCode: number; readonly errorMessage: string } | undefined {
  const isTopic = resourceType === TOPIC;
  const isAllowed = isTopic
    ? call.may(operation, 'topic', resourceName)
    : call.may(operation, 'cluster', CLUSTER_NAME);
  if (isAllowed) return undefined;
  const errorCode = isTopic ? ERROR.TOPIC_AUTHORIZATION_FAILED : ERROR.CLUSTER_AUTHORIZATION_FAILED;
  return { errorCode, errorMessage: 'Authorization failed.' };
}

/** The settings of a resource. */
export interface Known {
  readonly entries: readonly ConfigEntry[];
  /** What differs from the defaults. */
  readonly given: ReadonlyMap<string, string | null>;
  readonly isReadOnly: boolean;
}

/** The settings of a resource, or why there are none. */
export function knownConfigs(
  { resourceType, resourceName }: Resource,
  { broker, context }: Services,
): Known | { readonly errorCode: number; readonly errorMessage: string } {
  if (resourceType === TOPIC) {
    const topic = broker.find(resourceName);
    if (topic !== undefined) return { entries: TOPIC_CONFIGS, given: topic.configs, isReadOnly: false };
    return {
      errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION,
      errorMessage: `There is no topic ${JSON.stringify(resourceName)}.`,
    };
  }
  if (resourceType === BROKER && (resourceName === '' || resourceName === String(NODE_ID))) {
    const entries = brokerConfigs(context.config.auto_create_topics !== false);
    return { entries, given: new Map(), isReadOnly: true };
  }
  return {
    errorCode: ERROR.INVALID_REQUEST,
    errorMessage: `Topics (${TOPIC}) and broker ${NODE_ID} (${BROKER}) have settings; there is no resource ${JSON.stringify(resourceName)} of type ${resourceType}.`,
  };
}

function describe(
  { name, value, type }: ConfigEntry,
  given: string | null | undefined,
  readOnly: boolean,
  hasSynonyms: boolean,
) {
  const isDefault = given === undefined;
  const configSource = isDefault ? DEFAULT_SOURCE : TOPIC_SOURCE;
  const own = isDefault ? value : given;
  return {
    name,
    value: own,
    readOnly,
    isDefault,
    configSource,
    configType: type,
    synonyms: hasSynonyms ? [{ name, value: own, source: configSource }] : [],
  };
}
