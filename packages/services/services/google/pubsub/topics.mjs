import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid, isThere, notMocked, operation } from './errors.mjs';
import { checkDuration, checkLabels, checkName, fieldsOf, ofProject, pageOf } from './names.mjs';
import { changed, Store } from './store.mjs';

const MUTABLE = ['labels', 'kms_key_name', 'message_retention_duration'];
const REFUSED = ['message_storage_policy', 'schema_settings', 'ingestion_data_source_settings'];
/** So many messages are published in one turn, in the order of the calls: clients send thousands at once. */
const STEP = 50;
const MAX_MESSAGES = 1000;
const MAX_BYTES = 10_000_000;
const MAX_ATTRIBUTES = 100;

let turns = Promise.resolve();
const ownTurn = () => (turns = turns.then(() => nextTurn()));

const topicOperation = (run) => operation((context) => new Store(context), run);

function check(topic) {
  for (const name of REFUSED) if (topic[name] !== undefined) throw notMocked(`${name} of a topic`);
  if ((topic.message_transforms ?? []).length > 0) throw notMocked('message_transforms of a topic');
  checkLabels(topic.labels);
  checkDuration('message_retention_duration', topic.message_retention_duration, {
    least: 600,
    most: 2_678_400,
  });
}

const shown = ({ name, labels = {}, kms_key_name: key = '', message_retention_duration: retention }) => ({
  name,
  labels,
  kms_key_name: key,
  ...(retention !== undefined && { message_retention_duration: retention }),
  state: 'ACTIVE',
});

export const create = topicOperation((topic, { topics }) => {
  const name = checkName(topic.name, 'topics');
  check(topic);
  if (topics.has(name)) throw isThere('topic', name);
  const { labels = {}, kms_key_name: key = '', message_retention_duration: retention } = topic;
  return shown(
    topics.create({
      name,
      labels,
      kms_key_name: key,
      ...(retention !== undefined && { message_retention_duration: retention }),
    }),
  );
});

export const get = topicOperation(({ topic }, store) => shown(store.topic(checkName(topic, 'topics'))));

export const update = topicOperation(({ topic = {}, update_mask: mask }, store) => {
  const before = store.topic(checkName(topic.name, 'topics'));
  const row = { ...before };
  for (const name of fieldsOf(mask, MUTABLE)) row[name] = topic[name];
  check(row);
  return shown(store.topics.replace(row.name, dropAbsent(row)));
});

export const dropAbsent = (row) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

export const list = topicOperation((request, { topics }) => {
  const { page, next } = pageOf(ofProject(topics, request.project), request);
  return { topics: page.map(shown), next_page_token: next };
});

export const listSubscriptions = topicOperation((request, store) => {
  const { name } = store.topic(checkName(request.topic, 'topics'));
  const { page, next } = pageOf(store.subscriptionsOf(name), request);
  return { subscriptions: page.map((one) => one.name), next_page_token: next };
});

export const remove = topicOperation(({ topic }, store) => {
  const { name } = store.topic(checkName(topic, 'topics'));
  for (const one of store.subscriptions.list())
    if (one.topic === name) store.subscriptions.update(one.name, { topic: '_deleted-topic_' });
  store.topics.remove(name);
  return {};
});

export const detach = topicOperation(({ subscription }, store) => {
  const { name } = store.subscription(checkName(subscription, 'subscriptions'));
  store.subscriptions.update(name, { detached: true });
  store.dropDeliveries(name);
  changed.ring();
  return {};
});

export const publish = topicOperation(async ({ topic, messages = [] }, store) => {
  const { name } = store.topic(checkName(topic, 'topics'));
  if (messages.length === 0) throw invalid('The request has no messages: at least one would be right.');
  if (messages.length > MAX_MESSAGES)
    throw invalid(`The request has ${messages.length} messages: ${MAX_MESSAGES} at most would be right.`);
  messages.forEach(checkMessage);
  const ids = [];
  for (let at = 0; at < messages.length; at += STEP) {
    await ownTurn();
    ids.push(...store.publish(name, messages.slice(at, at + STEP)));
  }
  return { message_ids: ids };
});

function checkMessage({ data = '', attributes = {}, ordering_key: key = '' }, index) {
  const pairs = Object.entries(attributes);
  const fail = (text) => invalid(`Message ${index} of the request ${text}`);
  if (data === '' && pairs.length === 0)
    throw fail('is empty: each must have data, or at least one attribute.');
  if (data.length * 0.75 > MAX_BYTES) throw fail(`is too large: ${MAX_BYTES} bytes at most would be right.`);
  if (pairs.length > MAX_ATTRIBUTES)
    throw fail(`has ${pairs.length} attributes: ${MAX_ATTRIBUTES} at most would be right.`);
  for (const [name, value] of pairs) {
    if (name === '' || name.startsWith('goog') || Buffer.byteLength(name) > 256)
      throw fail(`has the attribute "${name}": 1 to 256 bytes that do not begin with goog would be right.`);
    if (Buffer.byteLength(value) > 1024) throw fail(`has an attribute "${name}" of more than 1024 bytes.`);
  }
  if (Buffer.byteLength(key) > 1024) throw fail('has an ordering key of more than 1024 bytes.');
}
