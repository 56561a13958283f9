import { Flat, mapOf } from '../query.mjs';
import { queueOperations } from './queues.mjs';
import { receiveOperations } from './receive.mjs';
import { sendOperations } from './send.mjs';

export const operations = { ...queueOperations, ...sendOperations, ...receiveOperations };

/** What lists are called in the query protocol, which SDKs spoke before that of JSON. */
const LISTS = {
  AttributeName: 'AttributeNames',
  MessageAttributeName: 'MessageAttributeNames',
  MessageSystemAttributeName: 'MessageSystemAttributeNames',
  SendMessageBatchRequestEntry: 'Entries',
  DeleteMessageBatchRequestEntry: 'Entries',
  ChangeMessageVisibilityBatchRequestEntry: 'Entries',
  TagKey: 'TagKeys',
};
const MAPS = { Attribute: 'Attributes', MessageAttribute: 'MessageAttributes' };

/** The parameters of a query as those of JSON. */
export function fields(input, action) {
  const made = {};
  for (const [name, value] of Object.entries(input)) {
    if (Object.hasOwn(LISTS, name))
      made[LISTS[name]] = Array.isArray(value)
        ? value.map((one) => (typeof one === 'object' ? fields(one) : one))
        : value;
    else if (Object.hasOwn(MAPS, name)) made[MAPS[name]] = mapOf(value);
    else if (name === 'Tag') made[action === 'CreateQueue' ? 'tags' : 'Tags'] = mapOf(value);
    else made[name] = value;
  }
  return made;
}

const SHOWN = {
  QueueUrls: 'QueueUrl',
  queueUrls: 'QueueUrl',
  Messages: 'Message',
  Failed: 'BatchResultErrorEntry',
};

/** An answer as the query protocol has it: lists without anything around them, and pairs for maps. */
export function show(output, action) {
  const made = {};
  for (const [name, value] of Object.entries(output)) {
    if (name === 'Successful') place(made, `${action}ResultEntry`, value);
    else if (Object.hasOwn(SHOWN, name))
      place(made, SHOWN[name], name === 'Messages' ? value.map((one) => show(one, action)) : value);
    else if (name === 'Attributes' || name === 'MessageAttributes')
      place(
        made,
        name.slice(0, -1),
        Object.entries(value).map(([Name, Value]) => ({ Name, Value })),
      );
    else if (name === 'Tags')
      place(
        made,
        'Tag',
        Object.entries(value).map(([Key, Value]) => ({ Key, Value })),
      );
    else made[name] = value;
  }
  return made;
}

/** A list that has nothing around it in XML. */
function place(made, name, list) {
  made[name] = new Flat(list);
}
