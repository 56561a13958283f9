import { describe, expect, it } from '@jest/globals';
import {
  ConditionalCheckFailedException,
  DynamoDB,
  ResourceInUseException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { useBacklot } from '@backlot/testing';
import { closing, optionsFor } from './support.js';

const backlot = useBacklot({ services: ['aws'] });

const connect = (attempts = 1): DynamoDB =>
  closing(new DynamoDB(optionsFor(backlot.env.AWS_ENDPOINT_URL, attempts)));

const TableName = 'orders';

/** A table by customer and time, with an index by state. */
async function table(): Promise<{ dynamo: DynamoDB; db: DynamoDBDocument }> {
  const dynamo = connect();
  await dynamo.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'who', AttributeType: 'S' },
      { AttributeName: 'at', AttributeType: 'N' },
      { AttributeName: 'phase', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'who', KeyType: 'HASH' },
      { AttributeName: 'at', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-phase',
        KeySchema: [
          { AttributeName: 'phase', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['price'] },
      },
    ],
  });
  return { dynamo, db: DynamoDBDocument.from(dynamo) };
}

const ANN = { who: 'ann', at: 1 };

describe('tables', () => {
  it('are made, described, listed, changed and removed', async () => {
    const { dynamo } = await table();
    const { Table } = await dynamo.describeTable({ TableName });
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      ItemCount: 0,
      TableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/orders',
      GlobalSecondaryIndexes: [{ IndexName: 'by-phase', IndexStatus: 'ACTIVE' }],
    });
    expect(Table?.CreationDateTime).toBeInstanceOf(Date);
    const again = dynamo.createTable({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
    await expect(again).rejects.toBeInstanceOf(ResourceInUseException);
    await dynamo.updateTable({
      TableName,
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'by-phase' } }],
    });
    expect((await dynamo.describeTable({ TableName })).Table?.GlobalSecondaryIndexes).toBeUndefined();
    expect((await dynamo.listTables({})).TableNames).toEqual([TableName]);
    await dynamo.deleteTable({ TableName });
    await expect(dynamo.describeTable({ TableName })).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  it('are refused with keys that are not defined', async () => {
    const make = connect().createTable({
      TableName: 'other',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'b', KeyType: 'HASH' }],
    });
    await expect(make).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('items', () => {
  it('keep values of all types', async () => {
    const { db } = await table();
    const Item = {
      ...ANN,
      text: '€',
      none: null,
      yes: true,
      list: [1, 'a', { b: [] }],
      map: { 'a.b': 1, __proto: 'x' },
      bytes: new Uint8Array([0, 255]),
      words: new Set(['a', 'b']),
      numbers: new Set([1, 2.5]),
    };
    await db.put({ TableName, Item });
    const got = await db.get({ TableName, Key: ANN });
    expect(got.Item).toEqual(Item);
    expect((await db.get({ TableName, Key: { who: 'ann', at: 2 } })).Item).toBeUndefined();
    expect(backlot.collection('aws:items').get('orders/ann/1')).toMatchObject({ item: { text: { S: '€' } } });
  });

  it('keep numbers of 38 digits', async () => {
    const { dynamo } = await table();
    const n = '12345678901234567890123456789012345678';
    const Item = { who: { S: 'ann' }, at: { N: '1.50' }, n: { N: n }, small: { N: '-0.00120e-3' } };
    await dynamo.putItem({ TableName, Item });
    const Key = { who: { S: 'ann' }, at: { N: '15e-1' } };
    expect((await dynamo.getItem({ TableName, Key })).Item).toEqual({
      who: { S: 'ann' },
      at: { N: '1.5' },
      n: { N: n },
      small: { N: '-0.0000012' },
    });
    const added = await dynamo.updateItem({
      TableName,
      Key,
      UpdateExpression: 'ADD n :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
      ReturnValues: 'UPDATED_NEW',
    });
    expect(added.Attributes).toEqual({ n: { N: '12345678901234567890123456789012345679' } });
    const long = { ...Item, n: { N: `${n}9` } };
    await expect(dynamo.putItem({ TableName, Item: long })).rejects.toThrow('38 significant digits');
  });

  it('are put, changed and removed under conditions', async () => {
    const { db } = await table();
    const first = { TableName, Item: { ...ANN, price: 5 }, ConditionExpression: 'attribute_not_exists(who)' };
    await db.put(first);
    const again = db.put({ ...first, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    await expect(again).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    await expect(again).rejects.toMatchObject({ Item: { price: { N: '5' } } });
    const cheap = {
      ConditionExpression:
        '#p BETWEEN :low AND :high AND NOT (price IN (:high, :none) OR size(who) <> :three)',
      ExpressionAttributeNames: { '#p': 'price' },
      ExpressionAttributeValues: { ':low': 1, ':high': 9, ':none': 0, ':three': 3 },
    };
    const { Attributes } = await db.put({
      TableName,
      Item: { ...ANN, price: 20 },
      ...cheap,
      ReturnValues: 'ALL_OLD',
    });
    expect(Attributes).toEqual({ ...ANN, price: 5 });
    await expect(db.delete({ TableName, Key: ANN, ...cheap })).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      message: 'The conditional request failed',
    });
    const removed = await db.delete({ TableName, Key: ANN, ReturnValues: 'ALL_OLD' });
    expect(removed.Attributes).toEqual({ ...ANN, price: 20 });
    await db.delete({ TableName, Key: ANN });
  });

  it.each([
    ['begins_with(t, :a)', { ':a': 'he' }, true],
    ['contains(t, :a)', { ':a': 'ell' }, true],
    ['contains(l, :a)', { ':a': 2 }, true],
    ['contains(s, :a)', { ':a': 'z' }, false],
    ['attribute_type(m, :a)', { ':a': 'M' }, true],
    ['m.x[1].y = :a', { ':a': 'deep' }, true],
    ['size(l) >= :a AND attribute_exists(m.x)', { ':a': 3 }, true],
    ['absent = :a', { ':a': 1 }, false],
    ['absent <> :a', { ':a': 1 }, true],
    ['n < :a', { ':a': '9' }, false],
    ['n > :a', { ':a': 9 }, true],
    ['n = :a OR n = :b AND n = :a', { ':a': 10, ':b': 1 }, true],
    ['NOT NOT n = :a', { ':a': 10 }, true],
  ])(
    'are found by the filter %s with %j: %j',
    async (FilterExpression, ExpressionAttributeValues, isFound) => {
      const { db } = await table();
      const Item = {
        ...ANN,
        t: 'hello',
        l: [1, 2, 3],
        s: new Set(['a']),
        m: { x: [0, { y: 'deep' }] },
        n: 10,
      };
      await db.put({ TableName, Item });
      const { Count, ScannedCount } = await db.scan({
        TableName,
        FilterExpression,
        ExpressionAttributeValues,
      });
      expect([Count, ScannedCount]).toEqual([isFound ? 1 : 0, 1]);
    },
  );

  it('are changed by all parts of an update expression', async () => {
    const { db } = await table();
    await db.put({
      TableName,
      Item: { ...ANN, n: 1, items1: ['a', 'b', 'c'], place: { x: 1 }, tags: new Set(['a', 'b']) },
    });
    const { Attributes } = await db.update({
      TableName,
      Key: ANN,
      UpdateExpression:
        'SET n = n + :one, m = if_not_exists(m, :zero) - :one, items1[0] = :a, place.y = place.x, more = list_append(items1, :l) REMOVE items1[1], gone ADD seen :one DELETE tags :t',
      ExpressionAttributeValues: { ':one': 1, ':zero': 0, ':a': 'A', ':l': ['d'], ':t': new Set(['b']) },
      ReturnValues: 'ALL_NEW',
    });
    expect(Attributes).toEqual({
      ...ANN,
      n: 2,
      m: -1,
      items1: ['A', 'c'],
      place: { x: 1, y: 1 },
      more: ['a', 'b', 'c', 'd'],
      seen: 1,
      tags: new Set(['a']),
    });
    const made = await db.update({
      TableName,
      Key: { who: 'new', at: 1 },
      UpdateExpression: 'SET #s = :s',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': 'open' },
      ReturnValues: 'UPDATED_NEW',
    });
    expect(made.Attributes).toEqual({ status: 'open' });
  });

  it.each([
    [
      { UpdateExpression: 'SET status = :a', ExpressionAttributeValues: { ':a': 1 } },
      'reserved keyword: status',
    ],
    [{ UpdateExpression: 'SET a = :b' }, 'attribute value: :b'],
    [{ UpdateExpression: 'SET #a = :b', ExpressionAttributeValues: { ':b': 1 } }, 'attribute name: #a'],
    [
      { UpdateExpression: 'SET a = :b', ExpressionAttributeValues: { ':b': 1, ':c': 1 } },
      'unused in expressions: keys: {:c}',
    ],
    [{ UpdateExpression: 'SET a :b', ExpressionAttributeValues: { ':b': 1 } }, 'Syntax error; token: ":b"'],
    [{ UpdateExpression: 'SET a = absent' }, 'does not exist in the item'],
    [{ UpdateExpression: 'SET a.b = :b', ExpressionAttributeValues: { ':b': 1 } }, 'invalid for update'],
    [{ UpdateExpression: 'SET a = :b, a = :b', ExpressionAttributeValues: { ':b': 1 } }, 'overlap'],
    [{ UpdateExpression: 'SET who = :b', ExpressionAttributeValues: { ':b': 1 } }, 'part of the key'],
    [{ UpdateExpression: 'SET a = who + :b', ExpressionAttributeValues: { ':b': 1 } }, 'incorrect data type'],
    [{ UpdateExpression: 'REMOVE a', ConditionExpression: 'size(a' }, 'Syntax error'],
    [{ UpdateExpression: 'REMOVE a', ConditionExpression: '('.repeat(400) }, 'too deeply'],
  ])('are not changed by %j', async (input, message) => {
    const { db } = await table();
    await db.put({ TableName, Item: ANN });
    const changed = db.update({ TableName, Key: ANN, ...input });
    await expect(changed).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining(message),
    });
    expect((await db.get({ TableName, Key: ANN })).Item).toEqual(ANN);
  });

  it('are refused without their keys, or with keys of another type', async () => {
    const { db, dynamo } = await table();
    const put = (Item: Record<string, unknown>): Promise<unknown> => db.put({ TableName, Item });
    await expect(put({ who: 'ann' })).rejects.toThrow('Missing the key at in the item');
    await expect(put({ who: 'ann', at: '1' })).rejects.toThrow(
      'Type mismatch for key at expected: N actual: S',
    );
    await expect(put({ who: '', at: 1 })).rejects.toThrow('empty string value. Key: who');
    await expect(put({ ...ANN, phase: 1 })).rejects.toThrow('IndexName: by-phase');
    await expect(put({ ...ANN, x: 'x'.repeat(410_000) })).rejects.toThrow('maximum allowed size');
    await expect(db.get({ TableName, Key: { who: 'ann' } })).rejects.toThrow('does not match the schema');
    await expect(db.get({ TableName: 'none', Key: ANN })).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(
      dynamo.scan({ TableName, ScanFilter: { a: { ComparisonOperator: 'NULL' } } }),
    ).rejects.toThrow('before expressions');
  });

  it('are over when their time to live is', async () => {
    const { db, dynamo } = await table();
    await dynamo.updateTimeToLive({
      TableName,
      TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
    });
    const until = Math.floor(backlot.clock.now() / 1000) + 60;
    await db.put({ TableName, Item: { ...ANN, until } });
    expect((await db.get({ TableName, Key: ANN })).Item).toBeDefined();
    await backlot.clock.advance(61_000);
    expect((await db.get({ TableName, Key: ANN })).Item).toBeUndefined();
    expect((await db.scan({ TableName })).Count).toBe(0);
  });
});

describe('queries', () => {
  const fill = async (): Promise<DynamoDBDocument> => {
    const { db } = await table();
    for (let at = 9; at >= 0; at -= 1)
      await db.put({
        TableName,
        Item: { who: 'ann', at, phase: at % 2 === 0 ? 'even' : 'odd', price: at * 10, note: 'x' },
      });
    await db.put({ TableName, Item: { who: 'bob', at: 5 } });
    return db;
  };
  const of = (Items: Record<string, unknown>[] | undefined): unknown[] => (Items ?? []).map(({ at }) => at);

  it.each([
    ['who = :w', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['who = :w AND #at > :a', { ':a': 7 }, [8, 9]],
    ['#at BETWEEN :a AND :b AND who = :w', { ':a': 2, ':b': 4 }, [2, 3, 4]],
    ['who = :w AND (#at = :a)', { ':a': 3 }, [3]],
  ])('by %s', async (KeyConditionExpression, values, wanted) => {
    const db = await fill();
    const { Items } = await db.query({
      TableName,
      KeyConditionExpression,
      ...(KeyConditionExpression.includes('#at') ? { ExpressionAttributeNames: { '#at': 'at' } } : {}),
      ExpressionAttributeValues: { ':w': 'ann', ...values },
    });
    expect(of(Items)).toEqual(wanted);
  });

  it('go by pages, backwards, with a filter after the limit, and what is wanted of items', async () => {
    const db = await fill();
    const query = {
      TableName,
      KeyConditionExpression: 'who = :w',
      FilterExpression: 'price >= :p',
      ProjectionExpression: '#at',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':w': 'ann', ':p': 30 },
      ScanIndexForward: false,
    };
    const first = await db.query({ ...query, Limit: 4 });
    expect(first).toMatchObject({
      Items: [{ at: 9 }, { at: 8 }, { at: 7 }, { at: 6 }],
      LastEvaluatedKey: { who: 'ann', at: 6 },
    });
    const all: unknown[] = [];
    const counts: unknown[] = [];
    for await (const page of paginateQuery({ client: db, pageSize: 4 }, { ...query })) {
      all.push(...of(page.Items));
      counts.push([page.Count, page.ScannedCount]);
    }
    expect(all).toEqual([9, 8, 7, 6, 5, 4, 3]);
    expect(counts).toEqual([
      [4, 4],
      [3, 4],
      [0, 2],
    ]);
    expect(
      await db.query({
        ...query,
        ProjectionExpression: undefined,
        ExpressionAttributeNames: undefined,
        Select: 'COUNT',
      }),
    ).toMatchObject({ Count: 7 });
  });

  it('of an index have what it holds', async () => {
    const db = await fill();
    const query = {
      TableName,
      IndexName: 'by-phase',
      KeyConditionExpression: 'phase = :p',
      ExpressionAttributeValues: { ':p': 'odd' },
    };
    const { Items, LastEvaluatedKey } = await db.query({ ...query, Limit: 2 });
    expect(Items).toEqual([
      { who: 'ann', at: 1, phase: 'odd', price: 10 },
      { who: 'ann', at: 3, phase: 'odd', price: 30 },
    ]);
    expect(LastEvaluatedKey).toEqual({ who: 'ann', at: 3, phase: 'odd' });
    const rest = await db.query({ ...query, ExclusiveStartKey: LastEvaluatedKey });
    expect(of(rest.Items)).toEqual([5, 7, 9]);
    await expect(db.query({ ...query, ConsistentRead: true })).rejects.toThrow(
      'Consistent reads are not supported',
    );
    await expect(db.query({ ...query, IndexName: 'none' })).rejects.toThrow(
      'does not have the specified index',
    );
  });

  it.each([
    ['#at = :w', 'missed key schema element: who'],
    ['who > :w', 'key condition not supported'],
    ['who = :w OR who = :w', 'missed key schema element'],
  ])('are refused by %s', async (KeyConditionExpression, message) => {
    const db = await fill();
    const query = db.query({
      TableName,
      KeyConditionExpression,
      ...(KeyConditionExpression.includes('#at') ? { ExpressionAttributeNames: { '#at': 'at' } } : {}),
      ExpressionAttributeValues: { ':w': 'ann' },
    });
    await expect(query).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining(message),
    });
  });

  it('scans see each item once, by pages, in segments, and while items are removed', async () => {
    const db = await fill();
    const seen: unknown[] = [];
    for await (const { Items } of paginateScan({ client: db, pageSize: 3 }, { TableName }))
      seen.push(...(Items ?? []).map(({ who, at }) => `${String(who)}${String(at)}`));
    expect([seen.length, new Set(seen).size]).toEqual([11, 11]);
    const parts = await Promise.all(
      [0, 1, 2].map((Segment) => db.scan({ TableName, Segment, TotalSegments: 3 })),
    );
    expect(parts.reduce((sum, { Count = 0 }) => sum + Count, 0)).toBe(11);
    for await (const { Items } of paginateScan({ client: db, pageSize: 3 }, { TableName }))
      for (const { who, at } of Items ?? []) await db.delete({ TableName, Key: { who, at } });
    expect((await db.scan({ TableName })).Count).toBe(0);
  });
});

describe('batches and transactions', () => {
  it('write and read many', async () => {
    const { db } = await table();
    const puts = Array.from({ length: 25 }, (_, at) => ({ PutRequest: { Item: { who: 'ann', at } } }));
    const done = await db.batchWrite({ RequestItems: { [TableName]: puts } });
    expect(done.UnprocessedItems).toEqual({});
    const Keys = [0, 24, 99].map((at) => ({ who: 'ann', at }));
    const { Responses } = await db.batchGet({ RequestItems: { [TableName]: { Keys } } });
    expect(Responses?.[TableName]).toEqual([
      { who: 'ann', at: 0 },
      { who: 'ann', at: 24 },
    ]);
    await db.batchWrite({
      RequestItems: { [TableName]: [{ DeleteRequest: { Key: { who: 'ann', at: 0 } } }] },
    });
    expect((await db.scan({ TableName })).Count).toBe(24);
    const one = { PutRequest: { Item: ANN } };
    await expect(db.batchWrite({ RequestItems: { [TableName]: [one, one] } })).rejects.toThrow('duplicates');
    await expect(db.batchWrite({ RequestItems: { [TableName]: [...puts, one] } })).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });

  it('give back what they have not done in the scenario dynamodb-unprocessed', async () => {
    const { db } = await table();
    backlot.scenarios.activate('aws:dynamodb-unprocessed');
    const puts = [1, 2].map((at) => ({ PutRequest: { Item: { who: 'ann', at } } }));
    const { UnprocessedItems } = await db.batchWrite({ RequestItems: { [TableName]: puts } });
    expect(UnprocessedItems).toEqual({ [TableName]: [puts[1]] });
    const Keys = puts.map(({ PutRequest }) => PutRequest.Item);
    const read = await db.batchGet({ RequestItems: { [TableName]: { Keys } } });
    expect(read.UnprocessedKeys).toEqual({ [TableName]: { Keys: [Keys[1]] } });
  });

  it('are done whole or not at all', async () => {
    const { db } = await table();
    await db.put({ TableName, Item: { ...ANN, n: 1 } });
    const Update = {
      TableName,
      Key: ANN,
      UpdateExpression: 'SET n = n + :one',
      ExpressionAttributeValues: { ':one': 1 },
    };
    const Put = { TableName, Item: { who: 'bob', at: 1 }, ConditionExpression: 'attribute_not_exists(who)' };
    await db.transactWrite({ TransactItems: [{ Update }, { Put }] });
    const again = db.transactWrite({ TransactItems: [{ Update }, { Put }] });
    await expect(again).rejects.toBeInstanceOf(TransactionCanceledException);
    await expect(again).rejects.toMatchObject({
      message: expect.stringContaining('[None, ConditionalCheckFailed]'),
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
    });
    const { Responses } = await db.transactGet({
      TransactItems: [{ Get: { TableName, Key: ANN } }, { Get: { TableName, Key: { who: 'x', at: 1 } } }],
    });
    expect(Responses).toEqual([{ Item: { ...ANN, n: 2 } }, {}]);
    const token = { ClientRequestToken: 'once' };
    await db.transactWrite({ TransactItems: [{ Update }], ...token });
    await db.transactWrite({ TransactItems: [{ Update }], ...token });
    expect((await db.get({ TableName, Key: ANN })).Item).toMatchObject({ n: 3 });
    await expect(db.transactWrite({ TransactItems: [{ Put }], ...token })).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
  });
});

describe('rows', () => {
  it('of a configuration are tables and items of plain JSON', async () => {
    backlot.collection('aws:tables').create({ id: 'users', key: { partition: 'id' } });
    backlot.collection('aws:items').create({ id: 'users/a%2Fb', json: { id: 'a/b', age: 5, tags: ['x'] } });
    const db = DynamoDBDocument.from(connect());
    const Key = { id: 'a/b' };
    expect((await db.get({ TableName: 'users', Key })).Item).toEqual({ id: 'a/b', age: 5, tags: ['x'] });
    const values = { ':one': 1 };
    await db.update({
      TableName: 'users',
      Key,
      UpdateExpression: 'ADD age :one',
      ExpressionAttributeValues: values,
    });
    expect((await db.scan({ TableName: 'users' })).Items).toEqual([{ id: 'a/b', age: 6, tags: ['x'] }]);
  });

  it('of ten thousand are searched', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ id: `users/${n}`, json: { id: `${n}` } }));
    backlot.collection('aws:tables').create({ id: 'users', key: { partition: 'id' } });
    backlot.collection('aws:items').setAll(rows);
    const db = DynamoDBDocument.from(connect());
    const seen = new Set<unknown>();
    for await (const { Items } of paginateScan({ client: db }, { TableName: 'users' }))
      for (const { id } of Items ?? []) seen.add(id);
    expect(seen.size).toBe(10_000);
  });
});
