import { badRequest } from './status.mjs';

const EXPRESSION =
  /^\s*(?:(?<absent>!)\s*(?<no>[\w./-]+)|(?<key>[\w./-]+)\s*(?:(?<set>in|notin)\s*\((?<list>[^)]*)\)|(?<operator>==|=|!=)\s*(?<value>[\w.-]*))?)\s*$/;

/** Parts between commas that stand in no parentheses. */
function partsOf(text) {
  return text.split(/,(?![^(]*\))/);
}

/** @returns a test of labels */
export function labelSelector(text = '') {
  if (text.trim() === '') return () => true;
  const tests = partsOf(text).map((part) => {
    const found = EXPRESSION.exec(part)?.groups;
    if (found === undefined) throw badRequest(`unable to parse requirement: found '${part.trim()}'`);
    const { absent, no, key, set, list, operator, value } = found;
    if (absent !== undefined) return (labels) => !Object.hasOwn(labels, no);
    if (set !== undefined) {
      const values = new Set(list.split(',').map((each) => each.trim()));
      return set === 'in'
        ? (labels) => Object.hasOwn(labels, key) && values.has(labels[key])
        : (labels) => !Object.hasOwn(labels, key) || !values.has(labels[key]);
    }
    if (operator === undefined) return (labels) => Object.hasOwn(labels, key);
    if (operator === '!=') return (labels) => !Object.hasOwn(labels, key) || labels[key] !== value;
    return (labels) => Object.hasOwn(labels, key) && labels[key] === value;
  });
  return (labels) => tests.every((test) => test(labels));
}

/** Whether a selector of a workload takes labels. */
export function selects({ matchLabels = {}, matchExpressions = [] }, labels) {
  const isIn = ({ key, values = [] }) => Object.hasOwn(labels, key) && values.includes(labels[key]);
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((one) => {
      switch (one.operator) {
        case 'In':
          return isIn(one);
        case 'NotIn':
          return !isIn(one);
        case 'Exists':
          return Object.hasOwn(labels, one.key);
        default:
          return !Object.hasOwn(labels, one.key);
      }
    })
  );
}

const ALWAYS = ['metadata.name', 'metadata.namespace'];
const FIELDS = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  secrets: ['type'],
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  services: ['spec.clusterIP', 'spec.type'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
};

const valueAt = (object, path) =>
  path.split('.').reduce((value, name) => (value === null ? undefined : value?.[name]), object);

/** @returns a test of objects */
export function fieldSelector(text = '', resource) {
  if (text.trim() === '') return () => true;
  const known = [...ALWAYS, ...(resource.isCustom ? [] : (FIELDS[resource.plural] ?? []))];
  const tests = text.split(',').map((part) => {
    const found = /^\s*([\w.]+)\s*(==|=|!=)(.*)$/.exec(part);
    if (found === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    const [, path, operator, value] = found;
    if (!known.includes(path))
      throw badRequest(
        `Unable to find "${resource.plural}" that match label selector "", field selector "${text}": field label not supported: ${path}; known are ${known.join(', ')}`,
      );
    return (object) => (String(valueAt(object, path) ?? '') === value.trim()) !== (operator === '!=');
  });
  return (object) => tests.every((test) => test(object));
}
