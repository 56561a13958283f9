import { invalid, isThere, notMocked, operation } from './errors.mjs';
import { compileFilter } from './filter.mjs';
import { checkDuration, checkLabels, checkName, fieldsOf, ofProject, pageOf } from './names.mjs';
import { changed, Store } from './store.mjs';
import { dropAbsent } from './topics.mjs';

const MUTABLE = [
  'push_config',
  'ack_deadline_seconds',
  'retain_acked_messages',
  'message_retention_duration',
  'labels',
  'expiration_policy',
  'dead_letter_policy',
  'retry_policy',
  'enable_exactly_once_delivery',
];
const REFUSED = ['bigquery_config', 'cloud_storage_config', 'bigtable_config'];

const subscriptionOperation = (run) => operation((context) => new Store(context), run);

/** How long a message of a subscription is leased, in seconds. */
export const deadlineOf = ({ ack_deadline_seconds: seconds }) => seconds || 10;

function check(subscription, store) {
  for (const name of REFUSED)
    if (subscription[name] !== undefined) throw notMocked(`${name} of a subscription`);
  if ((subscription.message_transforms ?? []).length > 0)
    throw notMocked('message_transforms of a subscription');
  if ((subscription.push_config?.push_endpoint ?? '') !== '') throw notMocked('Push delivery');
  checkLabels(subscription.labels);
  const seconds = deadlineOf(subscription);
  if (seconds < 10 || seconds > 600)
    throw invalid(`Invalid ack deadline given (ack_deadline_seconds=${seconds}): 10 to 600 would be right.`);
  const {
    message_retention_duration: retention,
    retry_policy: retry,
    dead_letter_policy: dead,
  } = subscription;
  checkDuration('message_retention_duration', retention, { least: 600, most: 2_678_400 });
  checkDuration('minimum_backoff', retry?.minimum_backoff, { least: 0, most: 600 });
  checkDuration('maximum_backoff', retry?.maximum_backoff, { least: 0, most: 600 });
  if (dead === undefined) return;
  const attempts = dead.max_delivery_attempts || 5;
  if (attempts < 5 || attempts > 100)
    throw invalid(`Invalid max_delivery_attempts given (${attempts}): 5 to 100 would be right.`);
  store.topic(checkName(dead.dead_letter_topic, 'topics'));
}

const shown = (row) => ({
  message_retention_duration: '604800s',
  expiration_policy: { ttl: '2678400s' },
  ...row,
  ack_deadline_seconds: deadlineOf(row),
  state: 'ACTIVE',
});

export const create = subscriptionOperation((subscription, store) => {
  const name = checkName(subscription.name, 'subscriptions');
  const topic = checkName(subscription.topic, 'topics');
  check(subscription, store);
  if (subscription.filter) compileFilter(subscription.filter);
  if (store.subscriptions.has(name)) throw isThere('subscription', name);
  store.topic(topic);
  const {
    push_config: _push,
    state: _state,
    detached: _detached,
    message_transforms: _transforms,
    ...row
  } = subscription;
  return shown(store.subscriptions.create(row));
});

export const get = subscriptionOperation(({ subscription }, store) =>
  shown(store.subscription(checkName(subscription, 'subscriptions'))),
);

export const update = subscriptionOperation(({ subscription = {}, update_mask: mask }, store) => {
  const before = store.subscription(checkName(subscription.name, 'subscriptions'));
  const row = { ...before };
  for (const name of fieldsOf(mask, MUTABLE)) row[name] = subscription[name];
  check(row, store);
  const { push_config: _push, ...kept } = row;
  const made = store.subscriptions.replace(row.name, dropAbsent(kept));
  store.recheck();
  return shown(made);
});

export const list = subscriptionOperation((request, { subscriptions }) => {
  const { page, next } = pageOf(ofProject(subscriptions, request.project), request);
  return { subscriptions: page.map(shown), next_page_token: next };
});

export const remove = subscriptionOperation(({ subscription }, store) => {
  store.removeSubscription(store.subscription(checkName(subscription, 'subscriptions')));
  return {};
});

export const seek = subscriptionOperation(({ subscription, time, snapshot }, store) => {
  const found = store.subscription(checkName(subscription, 'subscriptions'));
  if (snapshot !== undefined) throw notMocked('Seeking to a snapshot');
  if (time === undefined) throw invalid('The request has no time to seek to.');
  store.seek(found, Date.parse(time));
  changed.ring();
  return {};
});
