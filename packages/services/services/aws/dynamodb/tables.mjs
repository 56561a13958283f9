import { AwsError } from '../../../aws/errors.mjs';
import { tableNotFound, validation } from './errors.mjs';
import { normalNumber } from './numbers.mjs';
import { checkedItem, mapValues, marshal, sizeOf, typeOf } from './values.mjs';

/** The table with this name, or this ARN. @throws what DynamoDB answers when there is none */
export function tableOf(call, name) {
  if (typeof name !== 'string' || name === '')
    throw validation(
      "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    );
  const row = call.find('tables', name.startsWith('arn:') ? name.slice(name.indexOf('/') + 1) : name);
  if (row === undefined) throw tableNotFound(name);
  return viewOf(row);
}

/** A table of a configuration may say `key: {partition: id, sort: at}`, with `id: N` for another type than text. */
function viewOf(row) {
  if (row.keys !== undefined) return row;
  const { partition = 'id', sort, types = {} } = row.key ?? {};
  const keys = [partition, ...(sort === undefined ? [] : [sort])];
  return {
    ...row,
    keys,
    types: Object.fromEntries(keys.map((name) => [name, types[name] ?? 'S'])),
    indexes: [],
  };
}

function keysOf(schema) {
  if (!Array.isArray(schema) || schema.length === 0 || schema.length > 2)
    throw validation(
      "1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member must have length from 1 to 2",
    );
  const [hash, range] = schema;
  if (hash.KeyType !== 'HASH')
    throw validation('Invalid KeySchema: The first KeySchemaElement is not a HASH key type');
  if (range !== undefined && range.KeyType !== 'RANGE')
    throw validation('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type');
  return schema.map(({ AttributeName: name }) => name);
}

function indexOf({ IndexName: name, KeySchema: schema, Projection: projection = {} }, isLocal, types) {
  const keys = keysOf(schema);
  checkTypes(keys, types);
  const { ProjectionType: kind = 'ALL', NonKeyAttributes: attributes = [] } = projection;
  return { name, keys, projection: kind, attributes, local: isLocal };
}

function checkTypes(keys, types) {
  const missing = keys.filter((name) => types[name] === undefined);
  if (missing.length > 0)
    throw validation(
      `One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [${missing.join(', ')}], AttributeDefinitions: [${Object.keys(types).join(', ')}]`,
    );
}

function described(table, call) {
  const { id, keys, types, indexes, created, billing = 'PAY_PER_REQUEST', throughput } = table;
  let count = 0;
  let size = 0;
  for (const row of itemRows(call, id)) {
    count += 1;
    size += sizeOf(itemOf(row));
  }
  const schema = (names) =>
    names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' }));
  const shown = (isLocal) => {
    const list = indexes
      .filter(({ local }) => local === isLocal)
      .map(({ name, keys: own, projection, attributes }) => ({
        IndexName: name,
        KeySchema: schema(own),
        Projection: {
          ProjectionType: projection,
          ...(attributes.length > 0 ? { NonKeyAttributes: attributes } : {}),
        },
        ...(isLocal ? {} : { IndexStatus: 'ACTIVE' }),
        IndexArn: `${arnOf(table, call)}/index/${name}`,
      }));
    return list.length === 0 ? undefined : list;
  };
  return {
    TableName: id,
    TableStatus: 'ACTIVE',
    TableArn: arnOf(table, call),
    CreationDateTime: (Date.parse(created) || call.now) / 1000,
    KeySchema: schema(keys),
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    GlobalSecondaryIndexes: shown(false),
    LocalSecondaryIndexes: shown(true),
    BillingModeSummary: { BillingMode: billing },
    ProvisionedThroughput: {
      ReadCapacityUnits: 0,
      WriteCapacityUnits: 0,
      NumberOfDecreasesToday: 0,
      ...throughput,
    },
    ItemCount: count,
    TableSizeBytes: size,
    DeletionProtectionEnabled: table.protected === true,
  };
}

function arnOf({ id, arn }, call) {
  return arn ?? call.arn('dynamodb', `table/${id}`);
}

export const tableOperations = {
  CreateTable(input, call) {
    const { TableName: id, AttributeDefinitions: definitions = [], StreamSpecification: stream } = input;
    if (!/^[\w.-]{3,255}$/.test(id ?? ''))
      throw validation(
        "TableName must be at least 3 characters long and at most 255 characters long, and consist of a-z, A-Z, 0-9, '_', '-' and '.'",
      );
    if (stream?.StreamEnabled === true)
      throw validation('Streams are not mocked: leave StreamSpecification out.');
    if (call.find('tables', id) !== undefined)
      throw new AwsError('ResourceInUseException', `Table already exists: ${id}`);
    const types = Object.fromEntries(definitions.map((one) => [one.AttributeName, one.AttributeType]));
    const keys = keysOf(input.KeySchema);
    checkTypes(keys, types);
    const indexes = [
      ...(input.GlobalSecondaryIndexes ?? []).map((one) => indexOf(one, false, types)),
      ...(input.LocalSecondaryIndexes ?? []).map((one) => indexOf(one, true, types)),
    ];
    const used = new Set([...keys, ...indexes.flatMap((one) => one.keys)]);
    if (Object.keys(types).some((name) => !used.has(name)))
      throw validation(
        'One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
      );
    const billing = input.BillingMode ?? 'PROVISIONED';
    if (billing === 'PROVISIONED' && input.ProvisionedThroughput === undefined)
      throw validation(
        'One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED',
      );
    const row = call.put('tables', {
      ...{ id, keys, types, indexes, billing },
      ...(input.ProvisionedThroughput === undefined ? {} : { throughput: input.ProvisionedThroughput }),
      protected: input.DeletionProtectionEnabled === true,
      tags: input.Tags ?? [],
      arn: call.arn('dynamodb', `table/${id}`),
    });
    return { TableDescription: described(row, call) };
  },
  DescribeTable: (input, call) => ({ Table: described(tableOf(call, input.TableName), call) }),
  UpdateTable(input, call) {
    const table = tableOf(call, input.TableName);
    const types = { ...table.types };
    for (const one of input.AttributeDefinitions ?? []) types[one.AttributeName] = one.AttributeType;
    let { indexes } = table;
    for (const { Create: create, Delete: remove, Update: update } of input.GlobalSecondaryIndexUpdates ??
      []) {
      if (create !== undefined) indexes = [...indexes, indexOf(create, false, types)];
      const name = remove?.IndexName ?? update?.IndexName;
      if (name !== undefined && !indexes.some((one) => one.name === name))
        throw new AwsError('ResourceNotFoundException', `Requested resource not found: Index: ${name}`);
      if (remove !== undefined) indexes = indexes.filter((one) => one.name !== name);
    }
    const row = call.put('tables', {
      ...table,
      ...{ types, indexes },
      billing: input.BillingMode ?? table.billing,
      ...(input.ProvisionedThroughput === undefined ? {} : { throughput: input.ProvisionedThroughput }),
      protected: input.DeletionProtectionEnabled ?? table.protected,
    });
    return { TableDescription: described(row, call) };
  },
  DeleteTable(input, call) {
    const table = tableOf(call, input.TableName);
    if (table.protected === true)
      throw validation(
        'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
      );
    const shown = described(table, call);
    const items = call.rows('items');
    for (const { id } of [...itemRows(call, table.id)]) items.remove(id);
    call.rows('tables').remove(table.id);
    return { TableDescription: { ...shown, TableStatus: 'DELETING' } };
  },
  ListTables({ Limit: limit = 100, ExclusiveStartTableName: after = '' }, call) {
    const names = call
      .rows('tables')
      .list()
      .map(({ id }) => id)
      .filter((id) => id > after)
      .sort();
    const shown = names.slice(0, limit);
    return {
      TableNames: shown,
      LastEvaluatedTableName: shown.length < names.length ? shown.at(-1) : undefined,
    };
  },
  UpdateTimeToLive(input, call) {
    const table = tableOf(call, input.TableName);
    const { AttributeName: name, Enabled: isOn } = input.TimeToLiveSpecification ?? {};
    if (typeof name !== 'string') throw validation('TimeToLiveSpecification must have an AttributeName');
    call.put('tables', { ...table, ttl: isOn === true ? name : null });
    return { TimeToLiveSpecification: { AttributeName: name, Enabled: isOn } };
  },
  DescribeTimeToLive(input, call) {
    const { ttl } = tableOf(call, input.TableName);
    const isOn = typeof ttl === 'string';
    return {
      TimeToLiveDescription: {
        TimeToLiveStatus: isOn ? 'ENABLED' : 'DISABLED',
        ...(isOn ? { AttributeName: ttl } : {}),
      },
    };
  },
};

/** The rows of the items of a table. */
export function* itemRows(call, table) {
  const begin = `${table}/`;
  for (const row of call.rows('items').values()) if (row.id.startsWith(begin)) yield row;
}

/** The item of a row; one of a configuration may have `json` in place of `item`. */
export function itemOf({ item, json }) {
  return item ?? mapValues(json ?? {}, marshal);
}

/** Whether the time of an item is over, where its table says by which attribute. */
export function isOver(item, { ttl }, now) {
  const time = typeof ttl === 'string' ? item[ttl]?.N : undefined;
  return time !== undefined && Number(time) * 1000 <= now;
}

/** The item with this key, or `undefined`. */
export function findItem(call, table, key) {
  const row = call.find('items', idOf(table, key));
  const item = row === undefined ? undefined : itemOf(row);
  return item === undefined || isOver(item, table, call.now) ? undefined : item;
}

export function putItem(call, table, item) {
  call.put('items', { id: idOf(table, item), item });
}

export function removeItem(call, table, key) {
  const id = idOf(table, key);
  if (call.find('items', id) !== undefined) call.rows('items').remove(id);
}

/** The key of an item's row, such as `users/ann`: the table, then what its keys have. */
export function idOf({ id, keys }, item) {
  return [id, ...keys.map((name) => textOf(item[name]))].join('/');
}

function textOf(value) {
  const type = typeOf(value);
  const text = type === 'N' ? normalNumber(value.N) : value[type];
  return text.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** The key of a call. @throws what DynamoDB answers when it is not that of the table */
export function checkedKey(table, key) {
  const { keys, types } = table;
  const made = checkedItem(key);
  const fits =
    Object.keys(made).length === keys.length &&
    keys.every((name) => made[name] !== undefined && typeOf(made[name]) === types[name]);
  if (!fits) throw validation('The provided key element does not match the schema');
  checkContents(table, made);
  return made;
}

/** A whole item. @throws what DynamoDB answers when its keys are not those of the table and its indexes */
export function checkedRow(table, item) {
  const made = checkedItem(item);
  for (const name of table.keys) {
    if (made[name] === undefined)
      throw validation(`One or more parameter values were invalid: Missing the key ${name} in the item`);
    if (typeOf(made[name]) !== table.types[name])
      throw validation(
        `One or more parameter values were invalid: Type mismatch for key ${name} expected: ${table.types[name]} actual: ${typeOf(made[name])}`,
      );
  }
  checkContents(table, made);
  for (const { name: index, keys } of table.indexes)
    for (const name of keys)
      if (made[name] !== undefined && typeOf(made[name]) !== table.types[name])
        throw validation(
          `One or more parameter values were invalid: Type mismatch for Index Key ${name} Expected: ${table.types[name]} Actual: ${typeOf(made[name])} IndexName: ${index}`,
        );
  return made;
}

function checkContents({ keys }, item) {
  for (const [index, name] of keys.entries()) {
    const { S: text, B: bytes } = item[name];
    if (text === '' || bytes === '')
      throw validation(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${text === '' ? 'string' : 'binary'} value. Key: ${name}`,
      );
    const size = Buffer.byteLength(text ?? '');
    if (size > (index === 0 ? 2048 : 1024))
      throw validation(
        `One or more parameter values were invalid: Size of ${index === 0 ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of ${index === 0 ? 2048 : 1024} bytes`,
      );
  }
}
