import { isDeepStrictEqual } from 'node:util';
import { isObject } from './patch.mjs';
import { selects } from './selectors.mjs';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

const required = (field, message = 'Required value') => ({ reason: 'FieldValueRequired', field, message });
const wrong = (field, value, why) => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});
const immutable = (field, value) => wrong(field, value, 'field is immutable');

const RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** What is wrong with an object, as causes of a refusal. */
export function causesOf(resource, object, before) {
  const { metadata } = object;
  const causes = [];
  const isRbac = resource.group === 'rbac.authorization.k8s.io';
  if (!isRbac && (!SUBDOMAIN.test(metadata.name) || metadata.name.length > 253))
    causes.push(wrong('metadata.name', metadata.name, RULE));
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!LABEL_KEY.test(key))
      causes.push(wrong('metadata.labels', key, 'name part must consist of alphanumeric characters'));
    if (typeof value !== 'string' || !LABEL_VALUE.test(value))
      causes.push(
        wrong(
          'metadata.labels',
          value,
          'a valid label must be an empty string or consist of alphanumeric characters',
        ),
      );
  }
  if (resource.isCustom) return [...causes, ...schemaCauses(resource.schema, object)];
  const check = Object.hasOwn(CHECKS, resource.plural) ? CHECKS[resource.plural] : undefined;
  check?.(object, causes, before);
  return causes;
}

function checkPodSpec(spec, at, causes) {
  const { containers } = spec ?? {};
  if (!Array.isArray(containers) || containers.length === 0) return causes.push(required(`${at}.containers`));
  const names = new Set();
  containers.forEach((one, index) => {
    const place = `${at}.containers[${index}]`;
    if (!isObject(one) || typeof one.name !== 'string' || one.name === '')
      return causes.push(required(`${place}.name`));
    if (!LABEL.test(one.name)) causes.push(wrong(`${place}.name`, one.name, RULE));
    if (names.has(one.name))
      causes.push({
        reason: 'FieldValueDuplicate',
        field: `${place}.name`,
        message: `Duplicate value: ${JSON.stringify(one.name)}`,
      });
    names.add(one.name);
    if (typeof one.image !== 'string' || one.image === '') causes.push(required(`${place}.image`));
    return undefined;
  });
  return undefined;
}

/** What of a pod may be changed once it is there. */
function fixedOf({
  containers = [],
  initContainers = [],
  activeDeadlineSeconds: _time,
  tolerations: _tolerations,
  ...rest
}) {
  const bare = (list) => list.map(({ image: _image, ...one }) => one);
  return { ...rest, containers: bare(containers), initContainers: bare(initContainers) };
}

function checkWorkload({ spec = {} }, causes, before) {
  if (spec.selector === undefined) causes.push(required('spec.selector'));
  const labels = spec.template?.metadata?.labels ?? {};
  if (spec.selector !== undefined && !selects(spec.selector, labels))
    causes.push(
      wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
    );
  checkPodSpec(spec.template?.spec, 'spec.template.spec', causes);
  if (spec.replicas !== undefined && !(Number.isInteger(spec.replicas) && spec.replicas >= 0))
    causes.push(wrong('spec.replicas', spec.replicas, 'must be greater than or equal to 0'));
  if (before !== undefined && !isDeepStrictEqual(before.spec?.selector, spec.selector))
    causes.push(immutable('spec.selector', spec.selector));
}

function checkText(field) {
  return (object, causes, before) => {
    for (const [key, value] of Object.entries(object[field] ?? {})) {
      if (!/^[-._a-zA-Z0-9]+$/.test(key))
        causes.push(
          wrong(
            `${field}[${key}]`,
            key,
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
          ),
        );
      if (typeof value !== 'string') causes.push(wrong(`${field}[${key}]`, value, 'must be a string'));
    }
    if (before?.immutable === true && !isDeepStrictEqual(before.data, object.data))
      causes.push({
        reason: 'FieldValueForbidden',
        field: 'data',
        message: 'Forbidden: field is immutable when `immutable` is set',
      });
  };
}

const CHECKS = {
  pods({ spec }, causes, before) {
    checkPodSpec(spec, 'spec', causes);
    if (
      before !== undefined &&
      causes.length === 0 &&
      !isDeepStrictEqual(fixedOf(before.spec), fixedOf(spec))
    )
      causes.push({
        reason: 'FieldValueForbidden',
        field: 'spec',
        message:
          'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
      });
  },
  deployments: checkWorkload,
  replicasets: checkWorkload,
  statefulsets: checkWorkload,
  daemonsets: checkWorkload,
  jobs({ spec = {} }, causes) {
    checkPodSpec(spec.template?.spec, 'spec.template.spec', causes);
    if (!['OnFailure', 'Never'].includes(spec.template?.spec?.restartPolicy))
      causes.push(
        required('spec.template.spec.restartPolicy', 'Required value: valid values: "OnFailure", "Never"'),
      );
  },
  cronjobs({ spec = {} }, causes) {
    if (typeof spec.schedule !== 'string' || spec.schedule === '') causes.push(required('spec.schedule'));
    checkPodSpec(spec.jobTemplate?.spec?.template?.spec, 'spec.jobTemplate.spec.template.spec', causes);
  },
  services({ spec = {} }, causes, before) {
    if (spec.type !== 'ExternalName' && !(Array.isArray(spec.ports) && spec.ports.length > 0))
      causes.push(required('spec.ports'));
    (spec.ports ?? []).forEach(({ port }, index) => {
      if (!(Number.isInteger(port) && port > 0 && port < 65_536))
        causes.push(wrong(`spec.ports[${index}].port`, port, 'must be between 1 and 65535, inclusive'));
    });
    if (before?.spec?.clusterIP !== undefined && before.spec.clusterIP !== spec.clusterIP)
      causes.push(immutable('spec.clusterIPs[0]', spec.clusterIP));
  },
  configmaps: checkText('data'),
  secrets: checkText('data'),
  customresourcedefinitions({ metadata, spec = {} }, causes) {
    const { group, names = {}, versions, scope } = spec;
    if (typeof group !== 'string') causes.push(required('spec.group'));
    if (typeof names.plural !== 'string') causes.push(required('spec.names.plural'));
    if (typeof names.kind !== 'string') causes.push(required('spec.names.kind'));
    if (!['Namespaced', 'Cluster'].includes(scope)) causes.push(required('spec.scope'));
    if (!Array.isArray(versions) || versions.length === 0) return void causes.push(required('spec.versions'));
    if (metadata.name !== `${names.plural}.${group}`)
      causes.push(wrong('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'));
    if (versions.filter(({ storage }) => storage === true).length !== 1)
      causes.push(
        wrong(
          'spec.versions',
          versions.map(({ name }) => name),
          'must have exactly one version marked as storage version',
        ),
      );
    versions.forEach(({ schema }, index) => {
      if (!isObject(schema?.openAPIV3Schema))
        causes.push(
          required(`spec.versions[${index}].schema.openAPIV3Schema`, 'Required value: schemas are required'),
        );
    });
    return undefined;
  },
};

const TYPES = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
};

function schemaCauses(schema, object) {
  const causes = [];
  if (schema !== undefined) checkSchema(schema, object, '', causes);
  return causes;
}

function checkSchema(schema, value, at, causes) {
  const field = at === '' ? '<nil>' : at;
  if (value === null && schema.nullable === true) return;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (!Number.isInteger(value) && typeof value !== 'string')
      causes.push(wrong(field, value, `${field} in body must be of type integer or string`));
    return;
  }
  if (schema.type !== undefined && Object.hasOwn(TYPES, schema.type) && !TYPES[schema.type](value)) {
    causes.push({
      reason: 'FieldValueTypeInvalid',
      field,
      message: `Invalid value: ${JSON.stringify(value)}: ${field} in body must be of type ${schema.type}`,
    });
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    causes.push({
      reason: 'FieldValueNotSupported',
      field,
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`,
    });
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? -Infinity))
      causes.push(
        wrong(field, value, `${field} in body should be greater than or equal to ${schema.minimum}`),
      );
    if (value > (schema.maximum ?? Infinity))
      causes.push(wrong(field, value, `${field} in body should be less than or equal to ${schema.maximum}`));
  }
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0))
      causes.push(wrong(field, value, `${field} in body should be at least ${schema.minLength} chars long`));
    if (value.length > (schema.maxLength ?? Infinity))
      causes.push({
        reason: 'FieldValueTooLong',
        field,
        message: `Too long: may not be more than ${schema.maxLength} bytes`,
      });
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0))
      causes.push(
        wrong(field, value.length, `${field} in body should have at least ${schema.minItems} items`),
      );
    if (schema.items !== undefined)
      value.forEach((one, index) => checkSchema(schema.items, one, `${at}[${index}]`, causes));
  }
  if (!isObject(value)) return;
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) causes.push(required(at === '' ? name : `${at}.${name}`));
  for (const [name, inner] of Object.entries(value)) {
    const own =
      schema.properties?.[name] ??
      (isObject(schema.additionalProperties) ? schema.additionalProperties : undefined);
    if (own !== undefined && !(at === '' && name === 'metadata'))
      checkSchema(own, inner, at === '' ? name : `${at}.${name}`, causes);
  }
}

/** What a schema has no place for goes, and what it has a default for is there. */
export function fitSchema(schema, value, isTop = true) {
  if (schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return value;
  if (Array.isArray(value))
    return value.map((one) => (schema.items === undefined ? one : fitSchema(schema.items, one, false)));
  if (!isObject(value) || (schema.properties === undefined && isTop)) return value;
  const result = {};
  for (const [name, inner] of Object.entries(value)) {
    if (isTop && ['apiVersion', 'kind', 'metadata'].includes(name)) result[name] = inner;
    else if (schema.properties !== undefined && Object.hasOwn(schema.properties, name))
      result[name] = fitSchema(schema.properties[name], inner, false);
    else if (isObject(schema.additionalProperties))
      result[name] = fitSchema(schema.additionalProperties, inner, false);
    else if (schema.additionalProperties === true) result[name] = inner;
  }
  for (const [name, { default: given } = {}] of Object.entries(schema.properties ?? {}))
    if (given !== undefined && !Object.hasOwn(result, name)) result[name] = structuredClone(given);
  return result;
}
