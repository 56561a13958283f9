import { waitFor } from '../../waiting/index.mjs';
import { isTrue } from './body.mjs';
import { badRequest, Refusal } from './status.mjs';
import { changed } from './store.mjs';
import { whenLeft } from './watch.mjs';

const textOf = (value) =>
  Array.isArray(value) ? value.map((one) => `${one}\n`).join('') : String(value ?? '');

/** The container that a call is for: the only one, unless it names one. */
export function containerOf(pod, name) {
  const { containers, initContainers = [] } = pod.spec;
  const all = [...containers, ...initContainers].map((one) => one.name);
  if (name === undefined || name === '') {
    if (containers.length === 1) return containers[0].name;
    const byDefault = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
    if (all.includes(byDefault)) return byDefault;
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${all.join(' ')}]`,
    );
  }
  if (!all.includes(name)) throw badRequest(`container ${name} is not valid for pod ${pod.metadata.name}`);
  return name;
}

/** What a container has written: by `namespace/pod/container`, else by `namespace/pod`. */
function logOf({ context, namespace, name }, container) {
  const logs = context.collection('kubernetes:logs');
  const id = [`${namespace}/${name}/${container}`, `${namespace}/${name}`].find((one) => logs.has(one));
  return id === undefined ? {} : logs.get(id);
}

export function readLog(call) {
  const { store, resource, namespace, name, query, context } = call;
  const pod = store.get(resource, namespace, name);
  const container = containerOf(pod, query.container);
  if (pod.status?.phase === 'Pending')
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ContainerCreating`);
  const { text, previous } = logOf(call, container);
  if (isTrue(query.previous) && previous === undefined)
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const shown = shaper(query, pod.status?.startTime ?? pod.metadata.creationTimestamp);
  const all = textOf(isTrue(query.previous) ? previous : text);
  const headers = { 'Content-Type': 'text/plain' };
  if (!isTrue(query.follow)) return { headers, body: shown(all, true) };
  return { headers, feed: follow() };

  async function* follow() {
    let seen = all.length;
    const first = shown(all, true);
    if (first !== '') yield first;
    const asked = whenLeft(context.signal);
    for (;;) {
      await waitFor(changed, { clock: context.clock, asked });
      if (context.signal.aborted) return;
      const now = textOf(logOf(call, container).text);
      if (now.length > seen) yield shown(now.slice(seen), false);
      seen = now.length;
      if (!store.has(resource, namespace, name)) return;
    }
  }
}

/** What the query leaves of a text. */
function shaper({ tailLines, limitBytes, timestamps }, time) {
  const number = (value, field) => {
    const given = Number(value);
    if (Number.isInteger(given) && given >= 0) return given;
    throw new Refusal(422, 'Invalid', `PodLogOptions "" is invalid: ${field}: Invalid value: "${value}"`, {
      details: { kind: 'PodLogOptions' },
    });
  };
  const [tail, limit] = [
    tailLines === undefined ? undefined : number(tailLines, 'tailLines'),
    limitBytes === undefined ? undefined : number(limitBytes, 'limitBytes'),
  ];
  return (text, isFirst) => {
    let lines = text.split(/(?<=\n)/).filter((one) => one !== '');
    if (tail !== undefined && isFirst) lines = tail === 0 ? [] : lines.slice(-tail);
    if (isTrue(timestamps)) lines = lines.map((one) => `${time} ${one}`);
    const whole = lines.join('');
    return limit === undefined ? whole : Buffer.from(whole).subarray(0, limit).toString();
  };
}

/** A container writes a line: for tests, and those who follow its log hear of it. */
export function writeLog({ body, params }, context) {
  const { namespace, pod, container } = params;
  const { text } = typeof body === 'object' && body !== null ? body : { text: body };
  if (typeof text !== 'string')
    return { status: 400, json: badRequest('the body must be a text, or an object with a "text"').status };
  const logs = context.collection('kubernetes:logs');
  const id = container === undefined ? `${namespace}/${pod}` : `${namespace}/${pod}/${container}`;
  const line = text.endsWith('\n') ? text : `${text}\n`;
  if (logs.has(id)) logs.update(id, { text: textOf(logs.get(id).text) + line });
  else logs.create({ id, text: line });
  changed.ring();
  return { json: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
}
