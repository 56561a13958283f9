/** What a rule can be about (Kafka protocol guide, "ACLs": ResourceType). */
export const RESOURCE = {
  topic: 2,
  group: 3,
  cluster: 4,
  transactional_id: 5,
  delegation_token: 6,
  user: 7,
} as const;

/** How the name of a rule is meant (PatternType, KIP-290). */
export const PATTERN = { literal: 3, prefixed: 4 } as const;

/** What a rule is about doing (AclOperation). */
export const OPERATION = {
  all: 2,
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  cluster_action: 9,
  describe_configs: 10,
  alter_configs: 11,
  idempotent_write: 12,
  create_tokens: 13,
  describe_tokens: 14,
  two_phase_commit: 15,
} as const;

/** What a rule says (AclPermissionType). */
export const PERMISSION = { deny: 2, allow: 3 } as const;

/** In filters: whatever it is. */
const ANY = 1;
/** In filters: rules of every pattern that are about a name. */
const MATCH = 2;

/** The one name that a rule about the cluster has. */
export const CLUSTER_NAME = 'kafka-cluster';
/** As a name, a principal or a host: all of them. */
const ALL_NAMES = '*';
const ALL_PRINCIPALS = 'User:*';
/** The longest name, principal or host. */
const MAX_TEXT = 1000;

/** A kind of resource, as configuration and handlers name it. */
export type Resource = keyof typeof RESOURCE;
/** What somebody wants to do, as configuration and handlers name it. */
export type Operation = keyof typeof OPERATION;

/** A rule. Never changes. */
export interface Acl {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly patternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

/** Chooses rules. */
export interface AclFilter {
  readonly resourceTypeFilter: number;
  readonly resourceNameFilter: string | null;
  readonly patternTypeFilter: number;
  readonly principalFilter: string | null;
  readonly hostFilter: string | null;
  readonly operation: number;
  readonly permissionType: number;
}

/** Who wants to do something. */
export interface Actor {
  readonly principal: string;
  readonly host: string;
}

const isOneOf = (numbers: Readonly<Record<string, number>>, number: number): boolean =>
  Object.values(numbers).includes(number);

/** What is wrong with a rule; `undefined` when nothing is. */
export function problemOfAcl(acl: Acl): string | undefined {
  const { resourceType, resourceName: name, patternType, principal, host } = acl;
  if (!isOneOf(RESOURCE, resourceType)) return `There is no type of resource ${resourceType}; use 2 to 7.`;
  if (!isOneOf(PATTERN, patternType)) {
    return `A rule cannot have the pattern type ${patternType}; use 3 (literal) or 4 (prefixed).`;
  }
  if (name === '') return 'The name of the resource is empty.';
  if (resourceType === RESOURCE.cluster && name !== CLUSTER_NAME) {
    return `The cluster is called ${CLUSTER_NAME}, not ${JSON.stringify(name.slice(0, 100))}.`;
  }
  if (!/^[^:]+:./s.test(principal)) {
    return `${JSON.stringify(principal.slice(0, 100))} is no principal; write one such as User:ann.`;
  }
  if (host === '') return 'The host is empty; * is for all hosts.';
  if (Math.max(name.length, principal.length, host.length) > MAX_TEXT) {
    return `A name, principal or host has ${MAX_TEXT} characters at most.`;
  }
  if (!isOneOf(OPERATION, acl.operation)) return `There is no operation ${acl.operation}; use 2 to 15.`;
  return isOneOf(PERMISSION, acl.permissionType)
    ? undefined
    : `There is no permission ${acl.permissionType}; use 2 (deny) or 3 (allow).`;
}

/** What is wrong with a filter; `undefined` when nothing is. */
export function problemOfFilter(filter: AclFilter): string | undefined {
  const { resourceTypeFilter: type, patternTypeFilter: pattern, operation, permissionType } = filter;
  const isGood =
    (type === ANY || isOneOf(RESOURCE, type)) &&
    (pattern === ANY || pattern === MATCH || isOneOf(PATTERN, pattern)) &&
    (operation === ANY || isOneOf(OPERATION, operation)) &&
    (permissionType === ANY || isOneOf(PERMISSION, permissionType));
  return isGood
    ? undefined
    : 'The filter has a type of resource, pattern, operation or permission that is not known.';
}

/** Whether a filter chooses a rule. */
export function isChosen(filter: AclFilter, acl: Acl): boolean {
  const isMeant = (wanted: string | null, value: string): boolean => wanted === null || wanted === value;
  const isKind = (wanted: number, value: number): boolean => wanted === ANY || wanted === value;
  return (
    isKind(filter.resourceTypeFilter, acl.resourceType) &&
    isNameChosen(filter, acl) &&
    isMeant(filter.principalFilter, acl.principal) &&
    isMeant(filter.hostFilter, acl.host) &&
    isKind(filter.operation, acl.operation) &&
    isKind(filter.permissionType, acl.permissionType)
  );
}

function isNameChosen(
  { patternTypeFilter: pattern, resourceNameFilter: name }: AclFilter,
  acl: Acl,
): boolean {
  if (pattern === MATCH) return name === null || isAbout(acl, name);
  return (pattern === ANY || pattern === acl.patternType) && (name === null || name === acl.resourceName);
}

/** Whether a rule is about the resource with a name. */
export function isAbout({ patternType, resourceName }: Acl, name: string): boolean {
  if (patternType === PATTERN.prefixed) return name.startsWith(resourceName);
  return resourceName === name || resourceName === ALL_NAMES;
}

/** Whether a rule is about who wants to do something. */
export function isFor({ principal, host }: Acl, actor: Actor): boolean {
  return (
    (principal === actor.principal || principal === ALL_PRINCIPALS) &&
    (host === actor.host || host === ALL_NAMES)
  );
}

/** What includes the permission to do something else, as Kafka has it. */
const IMPLIED_BY: Readonly<Record<number, readonly number[]>> = {
  [OPERATION.describe]: [OPERATION.read, OPERATION.write, OPERATION.delete, OPERATION.alter],
  [OPERATION.describe_configs]: [OPERATION.alter_configs],
};

/** Whether a rule, of those for an actor and a resource, says something of an operation. */
export function covers({ operation, permissionType }: Acl, wanted: number): boolean {
  if (operation === wanted || operation === OPERATION.all) return true;
  return permissionType === PERMISSION.allow && IMPLIED_BY[wanted]?.includes(operation) === true;
}
