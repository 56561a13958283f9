import { array } from './delivery.mjs';
import { invalidEntity, notFound } from './errors.mjs';
import { link } from './store.mjs';

function isFor(topic, wanted) {
  const parts = topic.split('.');
  return wanted.some(
    (one) =>
      one === '*' ||
      one === '*.*' ||
      one
        .split('.')
        .every(
          (part, at) =>
            part === '*' || part === parts[at] || (at > 0 && `ContentManagement.${one}` === topic),
        ),
  );
}

/** Calls the webhooks that want to know of a change. */
export function tell({ store }, type, action, json) {
  const topic = `${type}.${action}`;
  for (const {
    name = 'webhook',
    url,
    topics = ['*.*'],
    headers = [],
    active = true,
  } of store.webhooks.list()) {
    if (!active || !isFor(topic, topics)) continue;
    store.context.webhook({
      url,
      headers: {
        'Content-Type': 'application/vnd.contentful.management.v1+json',
        'X-Contentful-Topic': `ContentManagement.${topic}`,
        'X-Contentful-Webhook-Name': name,
        ...Object.fromEntries(headers.map((one) => [one.key, one.value])),
      },
      body: JSON.stringify(json),
      retries: 2,
    });
  }
}

const shown = ({ space }, { id, ...row }) => ({
  headers: [],
  ...row,
  sys: { type: 'WebhookDefinition', id, version: 1, space: link('Space', space) },
});

function check({ url, name, topics }) {
  const errors = [];
  if (typeof url !== 'string' || !/^https?:\/\//.test(url))
    errors.push({
      name: 'regexp',
      path: ['url'],
      details: 'The url must begin with http or https',
      value: url,
    });
  if (typeof name !== 'string')
    errors.push({ name: 'required', path: ['name'], details: 'The property "name" is required here' });
  if (!Array.isArray(topics))
    errors.push({ name: 'required', path: ['topics'], details: 'The property "topics" is required here' });
  if (errors.length > 0) throw invalidEntity('ValidationFailed', errors);
}

export const listWebhooks = (call) => array(call.store.webhooks.list().map((row) => shown(call, row)));

export function createWebhook(call) {
  check(call.body);
  const { sys: _sys, ...row } = call.body;
  return { status: 201, json: shown(call, call.store.webhooks.create({ ...row, id: call.store.newId() })) };
}

function find({ store, id }) {
  if (!store.webhooks.has(id)) throw notFound('WebhookDefinition', id);
  return store.webhooks.get(id);
}

export const getWebhook = (call) => shown(call, find(call));

export function removeWebhook(call) {
  call.store.webhooks.remove(find(call).id);
  return { status: 204 };
}
