import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
  type Kafka,
} from 'kafkajs';
import { createAcls } from '../src/wire/apis/create-acls.js';
import { deleteAcls } from '../src/wire/apis/delete-acls.js';
import { describeAcls } from '../src/wire/apis/describe-acls.js';
import { initProducerId } from '../src/wire/apis/init-producer-id.js';
import { metadata } from '../src/wire/apis/metadata.js';
import { saslAuthenticate } from '../src/wire/apis/sasl-authenticate.js';
import { ERROR } from '../src/wire/errors.js';
import { afterThis, connectKafkaJs, RawClient, startHost, startProducer, type Running } from './support.js';

const loginAs = (running: Running, username: string): Kafka =>
  connectKafkaJs(running, {
    sasl: { mechanism: 'plain', username, password: 'secret' },
    retry: { retries: 0 },
  });

async function startAdmin(client: Kafka) {
  const admin = client.admin();
  await admin.connect();
  afterThis(() => admin.disconnect());
  return admin;
}

async function loggedIn({ port }: Running, user: string): Promise<RawClient> {
  const client = await RawClient.connect(port);
  await client.call(saslAuthenticate, 2, { authBytes: Buffer.from(`\0${user}\0secret`) });
  return client;
}

const topicRule = {
  resourceType: AclResourceTypes.TOPIC,
  resourceName: 'orders',
  resourcePatternType: ResourcePatternTypes.LITERAL,
  principal: 'User:ann',
  host: '*',
  operation: AclOperationTypes.WRITE,
  permissionType: AclPermissionTypes.ALLOW,
};

describe('ACLs of kafkajs', () => {
  it('are made, listed and deleted', async () => {
    const admin = await startAdmin(connectKafkaJs(await startHost()));
    const prefixed = {
      ...topicRule,
      resourceName: 'ord',
      resourcePatternType: ResourcePatternTypes.PREFIXED,
    };
    await admin.createAcls({ acl: [topicRule, { ...topicRule, principal: 'User:bob' }, prefixed] });
    const filter = {
      resourceType: AclResourceTypes.TOPIC,
      resourcePatternType: ResourcePatternTypes.MATCH,
      resourceName: 'orders',
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    };
    const { resources } = await admin.describeAcls(filter);
    expect(resources).toMatchObject([
      { resourceName: 'orders', acls: [{ principal: 'User:ann' }, { principal: 'User:bob' }] },
      { resourceName: 'ord', resourcePatternType: ResourcePatternTypes.PREFIXED },
    ]);
    const literal = { ...filter, resourcePatternType: ResourcePatternTypes.LITERAL };
    const { filterResponses } = await admin.deleteAcls({ filters: [{ ...literal, principal: 'User:bob' }] });
    expect(filterResponses[0]?.matchingAcls).toMatchObject([{ principal: 'User:bob' }]);
    expect((await admin.describeAcls(literal)).resources[0]?.acls).toHaveLength(1);
  });

  it('are enforced for who has logged in; what no rule is about is open', async () => {
    const running = await startHost({ topics: [{ name: 'orders' }, { name: 'open' }] });
    await (await startAdmin(connectKafkaJs(running))).createAcls({ acl: [topicRule] });
    const send = async (client: Kafka, topic: string): Promise<string> => {
      const producer = await startProducer(client);
      try {
        await producer.send({ topic, messages: [{ value: 'a' }] });
        return 'stored';
      } catch (error) {
        return String(error);
      }
    };
    expect(await send(loginAs(running, 'ann'), 'orders')).toBe('stored');
    expect(await send(loginAs(running, 'bob'), 'orders')).toContain('Not authorized to access topics');
    expect(await send(loginAs(running, 'bob'), 'open')).toBe('stored');
    expect(await send(connectKafkaJs(running), 'orders')).toBe('stored');
    expect(running.host.kind('kafka').captures?.values()).toHaveLength(3);
  });

  it('refuse to read a topic, to be in a group and to change the rules', async () => {
    const rule = { resource: 'topic', name: 'secret', principal: 'User:ann', operations: ['read'] };
    const running = await startHost({
      topics: [{ name: 'secret' }, { name: 'open' }],
      acls: [
        rule,
        { resource: 'group', name: 'team-', pattern: 'prefixed', permission: 'deny', operations: ['read'] },
        { resource: 'group', name: 'team-', pattern: 'prefixed', operations: ['describe'] },
        { resource: 'cluster', principal: 'User:root', operations: ['all'] },
      ],
    });
    const bob = loginAs(running, 'bob');
    const read = async (groupId: string, topic: string): Promise<string> => {
      const consumer = bob.consumer({ groupId });
      afterThis(() => consumer.disconnect());
      await consumer.connect();
      try {
        await consumer.subscribe({ topic, fromBeginning: true });
        let crashed = (_error: Error): void => undefined;
        const crash = new Promise<Error>((resolve) => (crashed = resolve));
        consumer.on(consumer.events.CRASH, ({ payload }) => crashed(payload.error));
        await consumer.run({ eachMessage: () => Promise.resolve() });
        throw await crash;
      } catch (error) {
        return (error as { type?: string }).type ?? String(error);
      }
    };
    expect(await read('mine', 'secret')).toBe('TOPIC_AUTHORIZATION_FAILED');
    expect(await read('team-a', 'open')).toBe('GROUP_AUTHORIZATION_FAILED');
    const admin = await startAdmin(bob);
    await expect(admin.createAcls({ acl: [topicRule] })).rejects.toMatchObject({
      type: 'CLUSTER_AUTHORIZATION_FAILED',
    });
    await expect(admin.createTopics({ topics: [{ topic: 'secret.2' }] })).resolves.toBe(true);
    const root = await startAdmin(loginAs(running, 'root'));
    await expect(root.createAcls({ acl: [topicRule] })).resolves.toBe(true);
  }, 20_000);
});

describe('a rule', () => {
  it('of reading lets describe; denying counts more than allowing; hosts count', async () => {
    const topic = { resource: 'topic', principal: 'User:ann' };
    const running = await startHost({
      topics: [{ name: 'read' }, { name: 'denied' }, { name: 'elsewhere' }, { name: 'foreign' }],
      acls: [
        { ...topic, name: 'read', operations: ['read'] },
        { ...topic, name: 'denied', operations: ['all'] },
        { resource: 'topic', name: 'den', pattern: 'prefixed', permission: 'deny', operations: ['describe'] },
        { ...topic, name: 'elsewhere', host: '192.0.2.1', operations: ['all'] },
        { ...topic, name: 'foreign', principal: 'User:bob', operations: ['all'] },
      ],
    });
    const ann = await loggedIn(running, 'ann');
    const { topics } = await ann.call(metadata, 12, { topics: null });
    expect(topics.map(({ name }) => name)).toEqual(['read']);
    const named = await ann.call(metadata, 12, { topics: [{ name: 'denied' }] });
    expect(named.topics).toMatchObject([{ errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED, name: 'denied' }]);
  });

  it('lets idempotent producers be who may write to something', async () => {
    const running = await startHost({
      acls: [
        { resource: 'cluster', principal: 'User:root', operations: ['all'] },
        { resource: 'topic', name: '*', permission: 'deny', principal: 'User:bob', operations: ['write'] },
      ],
    });
    const codeFor = async (user: string): Promise<number> =>
      (await (await loggedIn(running, user)).call(initProducerId, 4, { transactionalId: null })).errorCode;
    expect([await codeFor('ann'), await codeFor('bob'), await codeFor('root')]).toEqual([
      ERROR.NONE,
      ERROR.CLUSTER_AUTHORIZATION_FAILED,
      ERROR.NONE,
    ]);
  });

  it('that cannot be is refused, and so is one too many', async () => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    const good = {
      resourceType: 2,
      resourceName: 't',
      resourcePatternType: 3,
      principal: 'User:a',
      host: '*',
      operation: 3,
      permissionType: 3,
    };
    const wrong = [
      { resourceType: 1 },
      { resourceType: 99 },
      { resourceName: '' },
      { resourceType: 4 },
      { resourcePatternType: 2 },
      { principal: 'ann' },
      { host: '' },
      { operation: 1 },
      { permissionType: 0 },
      { resourceName: 'x'.repeat(1001) },
    ];
    const creations = wrong.map((fields) => ({ ...good, ...fields }));
    const refused = await client.call(createAcls, 3, { creations });
    expect(new Set(refused.results.map(({ errorCode }) => errorCode))).toEqual(
      new Set([ERROR.INVALID_REQUEST]),
    );
    const many = Array.from({ length: 2001 }, (_, index) => ({ ...good, resourceName: `t${index}` }));
    const { results } = await client.call(createAcls, 3, { creations: many });
    expect(results.map(({ errorCode }) => errorCode).indexOf(ERROR.POLICY_VIOLATION)).toBe(2000);
    const filter = { resourceTypeFilter: 0, patternTypeFilter: 1, operation: 1, permissionType: 1 };
    expect((await client.call(describeAcls, 3, filter)).errorCode).toBe(ERROR.INVALID_REQUEST);
    const deleted = await client.call(deleteAcls, 3, {
      filters: [filter, { ...filter, resourceTypeFilter: 1 }],
    });
    expect(deleted.filterResults.map(({ matchingAcls }) => matchingAcls.length)).toEqual([0, 2000]);
  });

  it('of a reset and of a snapshot comes back', async () => {
    const running = await startHost({
      acls: [{ resource: 'topic', name: 'kept', operations: ['read', 'write'] }],
    });
    const client = await RawClient.connect(running.port);
    const all = { resourceTypeFilter: 1, patternTypeFilter: 1, operation: 1, permissionType: 1 };
    const count = async (): Promise<number> =>
      (await client.call(describeAcls, 3, all)).resources.flatMap(({ acls }) => acls).length;
    const { id } = running.host.snapshots.create();
    await client.call(deleteAcls, 0, { filters: [{ ...all, patternTypeFilter: 3 }] });
    expect(await count()).toBe(0);
    running.host.snapshots.restore(id);
    expect(await count()).toBe(2);
    await client.call(deleteAcls, 3, { filters: [all] });
    running.host.reset();
    expect(await count()).toBe(2);
  });

  it('is checked in the configuration', async () => {
    const rule = { resource: 'topic', name: 'a', operations: ['read'] };
    const wrong = [
      { ...rule, name: undefined },
      { ...rule, resource: 'cluster', name: 'other' },
      { ...rule, principal: 'ann' },
      { ...rule, operations: ['fly'] },
    ];
    for (const acl of wrong) await expect(startHost({ acls: [acl] })).rejects.toThrow(/acls/);
  });
});

const PYTHON = `
import sys
from kafka.admin import KafkaAdminClient, ACL, ACLFilter, ResourcePattern, ResourcePatternFilter
from kafka.admin import ResourceType, ACLOperation, ACLPermissionType, ACLResourcePatternType
admin = KafkaAdminClient(bootstrap_servers=sys.argv[1])
rule = ACL('User:ann', '*', ACLOperation.READ, ACLPermissionType.ALLOW, ResourcePattern(ResourceType.TOPIC, 'orders'))
print(len(admin.create_acls([rule])['succeeded']))
wanted = ACLFilter('User:ann', None, ACLOperation.ANY, ACLPermissionType.ANY,
    ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY))
print(admin.describe_acls(wanted)[0][0].resource_pattern.resource_name)
print(len(admin.delete_acls([wanted])[0][1]))
print(admin.describe_acls(wanted)[0])
admin.close()
`;

describe('python3-kafka', () => {
  itWithTool('/usr/bin/python3 python3:kafka', 'makes, lists and deletes ACLs', async () => {
    const running = await startHost();
    const { code, out, err } = await runTool('/usr/bin/python3', ['-c', PYTHON, running.address]);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out.trim().split('\n')).toEqual(['1', 'orders', '1', '[]']);
  });

  itWithTool('kcat', 'and kcat is told that it may not write', async () => {
    const running = await startHost({
      topics: [{ name: 'orders' }],
      acls: [{ resource: 'topic', name: 'orders', principal: 'User:ann', operations: ['write'] }],
    });
    const login = (user: string): string =>
      `-X security.protocol=sasl_plaintext -X sasl.mechanisms=PLAIN -X sasl.username=${user} -X sasl.password=b`;
    const send = (user: string) =>
      runTool('sh', ['-c', `echo hello | kcat -b ${running.address} -P -t orders ${login(user)}`]);
    expect((await send('ann')).code).toBe(0);
    expect((await send('bob')).err).toContain('Topic authorization failed');
  });
});
