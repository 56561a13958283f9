import { bodyOf, find, invalid, newId, operation, page, rowsOf, shown, timeOf } from './api.mjs';
import { EVENTS } from './webhooks.mjs';

const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** What each resource is called, and what is wrong with one that is made or changed. */
const RESOURCES = {
  users: {
    one: 'user',
    *check({ name, email }, context, id) {
      if (!isText(name)) yield 'Name cannot be empty.';
      if (!/^[^\s@]+@[^\s@]+$/.test(String(email ?? ''))) yield 'Email is invalid.';
      for (const user of rowsOf(context, 'users').values())
        if (user.email === email && user.id !== id) yield 'Email has already been taken';
    },
  },
  services: {
    one: 'service',
    *check({ name, escalation_policy: policy }, context, id) {
      if (!isText(name)) yield 'Name cannot be empty.';
      for (const service of rowsOf(context, 'services').values())
        if (service.name === name && service.id !== id) yield 'Name has already been taken';
      if (!rowsOf(context, 'escalation_policies').has(String(policy?.id)))
        yield 'Escalation policy was not found.';
    },
  },
  escalation_policies: {
    one: 'escalation_policy',
    *check({ name, escalation_rules: rules }) {
      if (!isText(name)) yield 'Name cannot be empty.';
      if (!Array.isArray(rules) || rules.length === 0) yield 'Escalation rules must have at least one rule.';
    },
  },
  webhook_subscriptions: {
    one: 'webhook_subscription',
    *check({ delivery_method: method, events, filter }) {
      if (!/^https?:\/\//.test(String(method?.url ?? ''))) yield 'delivery_method.url is invalid';
      if (!Array.isArray(events) || events.length === 0) yield 'events cannot be empty';
      for (const event of Array.isArray(events) ? events : [])
        if (!EVENTS.includes(event))
          yield `events has "${String(event)}"; these are known: ${EVENTS.join(', ')}`;
      if (!['account_reference', 'service_reference', 'team_reference'].includes(filter?.type))
        yield 'filter.type is invalid';
    },
  },
};

/** The resource that a path is about. */
function resourceOf({ request }) {
  const [, name] = /\/pagerduty\.com\/(\w+)/.exec(request.path);
  return { name, ...RESOURCES[name] };
}

function check(resource, value, context, id) {
  const errors = [...resource.check(value, context, id)];
  if (errors.length > 0) throw invalid(...errors);
}

/** The secret of a webhook is told once. */
function shownHere(name, row) {
  if (name !== 'webhook_subscriptions') return shown(name, row);
  const { secret: _, ...method } = row.delivery_method;
  return { ...row, type: 'webhook_subscription', delivery_method: { ...method, secret: null } };
}

export const list = operation((call) => {
  const { name } = resourceOf(call);
  const query = String(call.query.query ?? '').toLowerCase();
  const rows = rowsOf(call.context, name)
    .list()
    .filter(({ name: own = '', email = '' }) => `${own} ${email}`.toLowerCase().includes(query));
  return page(
    call,
    name,
    rows.map((row) => shownHere(name, row)),
  );
});

export const get = operation((call) => {
  const { name, one } = resourceOf(call);
  return { json: { [one]: shownHere(name, find(call.context, name, call.params.id)) } };
});

export const me = operation(({ context }) => {
  const [first] = rowsOf(context, 'users').list();
  return { json: { user: shown('users', first) } };
});

export const create = operation((call) => {
  const resource = resourceOf(call);
  const { context } = call;
  const { id: _, ...value } = bodyOf(call.request, resource.one);
  check(resource, value, context);
  const fields =
    resource.name === 'webhook_subscriptions'
      ? { ...value, delivery_method: { secret: context.random.string(60), ...value.delivery_method } }
      : { created_at: timeOf(context), ...value };
  const row = rowsOf(context, resource.name).create({ id: newId(context), ...fields });
  const told =
    resource.name === 'webhook_subscriptions' ? { ...row, type: 'webhook_subscription' } : undefined;
  return { status: 201, json: { [resource.one]: told ?? shown(resource.name, row) } };
});

export const update = operation((call) => {
  const resource = resourceOf(call);
  const before = find(call.context, resource.name, call.params.id);
  const { id: _, ...fields } = bodyOf(call.request, resource.one);
  check(resource, { ...before, ...fields }, call.context, before.id);
  const row = rowsOf(call.context, resource.name).update(before.id, fields);
  return { json: { [resource.one]: shownHere(resource.name, row) } };
});

export const remove = operation((call) => {
  const { name } = resourceOf(call);
  rowsOf(call.context, name).remove(find(call.context, name, call.params.id).id);
  return { status: 204 };
});
