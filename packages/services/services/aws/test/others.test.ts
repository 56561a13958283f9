import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { InvocationType, Lambda, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { S3 } from '@aws-sdk/client-s3';
import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import { SES } from '@aws-sdk/client-ses';
import { SESv2 } from '@aws-sdk/client-sesv2';
import { SNS } from '@aws-sdk/client-sns';
import { SQS } from '@aws-sdk/client-sqs';
import { STS } from '@aws-sdk/client-sts';
import { PYTHON, itWithTool, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { closing, optionsFor } from './support.js';

const backlot = useBacklot({ services: ['aws'] });

const options = (attempts = 1): object => optionsFor(backlot.env.AWS_ENDPOINT_URL, attempts);

describe('Secrets Manager', () => {
  const connect = (): SecretsManager => closing(new SecretsManager(options()));

  it('keeps secrets with their versions', async () => {
    const secrets = connect();
    const made = await secrets.createSecret({
      Name: 'app/db',
      SecretString: 'one',
      Description: 'the database',
      Tags: [{ Key: 'a', Value: '1' }],
    });
    expect(made.ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:app\/db-\w{6}$/);
    expect(await secrets.getSecretValue({ SecretId: 'app/db' })).toMatchObject({
      SecretString: 'one',
      VersionId: made.VersionId,
      VersionStages: ['AWSCURRENT'],
      CreatedDate: expect.any(Date),
    });
    const two = await secrets.putSecretValue({ SecretId: made.ARN, SecretBinary: Buffer.from([0, 255]) });
    const now = await secrets.getSecretValue({ SecretId: made.ARN?.slice(0, -7) });
    expect(Buffer.from(now.SecretBinary ?? [])).toEqual(Buffer.from([0, 255]));
    expect(
      (await secrets.getSecretValue({ SecretId: 'app/db', VersionStage: 'AWSPREVIOUS' })).SecretString,
    ).toBe('one');
    expect(
      (await secrets.getSecretValue({ SecretId: 'app/db', VersionId: made.VersionId })).SecretString,
    ).toBe('one');
    expect(await secrets.describeSecret({ SecretId: 'app/db' })).toMatchObject({
      Description: 'the database',
      Tags: [{ Key: 'a', Value: '1' }],
      VersionIdsToStages: {
        [String(made.VersionId)]: ['AWSPREVIOUS'],
        [String(two.VersionId)]: ['AWSCURRENT'],
      },
    });
    await secrets.updateSecret({ SecretId: 'app/db', SecretString: 'three', Description: 'changed' });
    expect((await secrets.listSecretVersionIds({ SecretId: 'app/db' })).Versions).toHaveLength(2);
    await secrets.createSecret({ Name: 'other', SecretString: 'x' });
    const { SecretList } = await secrets.listSecrets({ Filters: [{ Key: 'name', Values: ['app'] }] });
    expect(SecretList).toMatchObject([{ Name: 'app/db', Description: 'changed' }]);
    const { SecretValues, Errors } = await secrets.batchGetSecretValue({ SecretIdList: ['other', 'none'] });
    expect([SecretValues, Errors]).toMatchObject([
      [{ SecretString: 'x' }],
      [{ SecretId: 'none', ErrorCode: 'ResourceNotFoundException' }],
    ]);
  });

  it('removes secrets after a while, or at once, and brings them back', async () => {
    const secrets = connect();
    const SecretId = 'app/db';
    await secrets.createSecret({ Name: SecretId, SecretString: 'x' });
    await expect(secrets.createSecret({ Name: SecretId })).rejects.toMatchObject({
      name: 'ResourceExistsException',
    });
    await secrets.deleteSecret({ SecretId, RecoveryWindowInDays: 7 });
    await expect(secrets.getSecretValue({ SecretId })).rejects.toMatchObject({
      name: 'InvalidRequestException',
    });
    await secrets.restoreSecret({ SecretId });
    expect((await secrets.getSecretValue({ SecretId })).SecretString).toBe('x');
    await secrets.deleteSecret({ SecretId, RecoveryWindowInDays: 7 });
    await backlot.clock.advance(7 * 86_400_000);
    await expect(secrets.getSecretValue({ SecretId })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret.",
    });
    await secrets.createSecret({ Name: SecretId, SecretString: 'y' });
    await secrets.deleteSecret({ SecretId, ForceDeleteWithoutRecovery: true });
    await expect(secrets.describeSecret({ SecretId })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('has secrets from rows, and makes passwords', async () => {
    backlot.collection('aws:secrets').create({ id: 'db', json: { user: 'ann' } });
    const secrets = connect();
    expect((await secrets.getSecretValue({ SecretId: 'db' })).SecretString).toBe('{"user":"ann"}');
    const { RandomPassword } = await secrets.getRandomPassword({
      PasswordLength: 20,
      ExcludePunctuation: true,
    });
    expect(RandomPassword).toMatch(/^[a-zA-Z0-9]{20}$/);
    await expect(secrets.getRandomPassword({ PasswordLength: 3 })).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
  });
});

describe('SES', () => {
  const mails = (): readonly unknown[] => backlot.collection('aws:emails').list();

  it('keeps mails of version 1, which a test reads', async () => {
    const ses = closing(new SES(options()));
    const { MessageId } = await ses.sendEmail({
      Source: 'Tea <tea@example.com>',
      Destination: { ToAddresses: ['ann@example.com'], CcAddresses: ['bob@example.com'] },
      Message: { Subject: { Data: 'Ready' }, Body: { Text: { Data: 'now' }, Html: { Data: '<b>now</b>' } } },
      Tags: [{ Name: 'kind', Value: 'tea' }],
    });
    expect(mails()).toMatchObject([
      {
        id: MessageId,
        from: 'Tea <tea@example.com>',
        to: ['ann@example.com'],
        cc: ['bob@example.com'],
        subject: 'Ready',
        text: 'now',
        html: '<b>now</b>',
        tags: { kind: 'tea' },
      },
    ]);
    const Data = Buffer.from(
      'From: tea@example.com\r\nTo: ann@example.com,\r\n bob@example.com\r\nSubject: Raw\r\n\r\ntext\r\n',
    );
    await ses.sendRawEmail({ RawMessage: { Data } });
    expect(mails()[1]).toMatchObject({
      to: ['ann@example.com', 'bob@example.com'],
      subject: 'Raw',
      raw: Data.toString(),
    });
    await ses.verifyEmailIdentity({ EmailAddress: 'tea@example.com' });
    expect((await ses.listIdentities({})).Identities).toEqual(['tea@example.com']);
    const { VerificationAttributes } = await ses.getIdentityVerificationAttributes({
      Identities: ['tea@example.com', 'x'],
    });
    expect(VerificationAttributes).toEqual({ 'tea@example.com': { VerificationStatus: 'Success' } });
    expect((await ses.getSendQuota({})).SentLast24Hours).toBe(2);
    await expect(
      ses.sendEmail({
        Source: 'tea',
        Destination: { ToAddresses: ['ann@example.com'] },
        Message: { Subject: { Data: 'x' }, Body: {} },
      }),
    ).rejects.toMatchObject({ name: 'InvalidParameterValue', message: expect.stringContaining('tea') });
  });

  it('keeps mails of version 2, and refuses them when the sender is not verified', async () => {
    const ses = closing(new SESv2(options()));
    const mail = {
      FromEmailAddress: 'tea@example.com',
      Destination: { ToAddresses: ['ann@example.com'] },
      Content: { Simple: { Subject: { Data: 'Ready' }, Body: { Text: { Data: 'now' } } } },
    };
    const { MessageId } = await ses.sendEmail(mail);
    expect(mails()).toMatchObject([{ id: MessageId, subject: 'Ready', text: 'now' }]);
    await ses.createEmailIdentity({ EmailIdentity: 'example.com' });
    expect(await ses.getEmailIdentity({ EmailIdentity: 'example.com' })).toMatchObject({
      IdentityType: 'DOMAIN',
    });
    expect((await ses.listEmailIdentities({})).EmailIdentities).toMatchObject([
      { IdentityName: 'example.com' },
    ]);
    await ses.deleteEmailIdentity({ EmailIdentity: 'example.com' });
    await expect(ses.getEmailIdentity({ EmailIdentity: 'example.com' })).rejects.toMatchObject({
      name: 'NotFoundException',
    });
    await expect(ses.sendEmail({ ...mail, Destination: {} })).rejects.toMatchObject({
      name: 'BadRequestException',
    });
    await expect(ses.listContactLists({})).rejects.toThrow('POST /v2/email/outbound-emails');
    backlot.scenarios.activate('aws:ses-unverified');
    await expect(ses.sendEmail(mail)).rejects.toMatchObject({ name: 'MessageRejected' });
    await expect(
      closing(new SES(options())).sendRawEmail({ RawMessage: { Data: Buffer.from('x') } }),
    ).rejects.toMatchObject({
      name: 'MessageRejected',
    });
  });
});

describe('STS', () => {
  it('gives credentials, and knows who has them', async () => {
    const sts = closing(new STS(options()));
    expect(await sts.getCallerIdentity({})).toMatchObject({
      Account: '000000000000',
      Arn: 'arn:aws:iam::000000000000:root',
    });
    const RoleArn = 'arn:aws:iam::111122223333:role/path/reader';
    const { Credentials, AssumedRoleUser } = await sts.assumeRole({
      RoleArn,
      RoleSessionName: 'me',
      DurationSeconds: 900,
    });
    expect(AssumedRoleUser?.Arn).toBe('arn:aws:sts::111122223333:assumed-role/reader/me');
    expect((Credentials?.Expiration?.getTime() ?? 0) - backlot.clock.now()).toBeGreaterThan(890_000);
    const credentials = {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    };
    const other = closing(new STS({ ...options(), credentials }));
    expect(await other.getCallerIdentity({})).toMatchObject({
      Arn: AssumedRoleUser?.Arn,
      Account: '111122223333',
    });
    const web = await sts.assumeRoleWithWebIdentity({
      RoleArn,
      RoleSessionName: 'pod',
      WebIdentityToken: 'jwt',
    });
    expect(web.Credentials?.SessionToken).toMatch(/^\w{120}$/);
    expect((await sts.getSessionToken({})).Credentials?.AccessKeyId).toMatch(/^ASIA/);
    await expect(sts.assumeRole({ RoleArn: 'reader', RoleSessionName: 'me' })).rejects.toMatchObject({
      name: 'ValidationError',
    });
  });
});

describe('Lambda', () => {
  const connect = (): Lambda => closing(new Lambda(options()));

  it('answers by the name of a function, fails, and keeps what it was called with', async () => {
    backlot.collection('aws:functions').setAll([
      { id: 'price', answer: { total: 5 } },
      { id: 'echo', echo: true },
      { id: 'broken', error: { errorType: 'TypeError', errorMessage: 'x is not a function' } },
    ]);
    const lambda = connect();
    const call = async (FunctionName: string, value: unknown): Promise<unknown> => {
      const { Payload } = await lambda.invoke({ FunctionName, Payload: JSON.stringify(value) });
      return JSON.parse(Payload?.transformToString() ?? '');
    };
    expect(await call('price', { item: 7 })).toEqual({ total: 5 });
    expect(await call('arn:aws:lambda:us-east-1:000000000000:function:echo', { a: ['ü'] })).toEqual({
      a: ['ü'],
    });
    const failed = await lambda.invoke({ FunctionName: 'broken', LogType: 'Tail' });
    expect(failed).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled', ExecutedVersion: '$LATEST' });
    expect(Buffer.from(failed.LogResult ?? '', 'base64').toString()).toContain('START RequestId');
    const later = await lambda.invoke({
      FunctionName: 'price',
      InvocationType: InvocationType.Event,
      Payload: '{"n":1}',
    });
    expect(later.StatusCode).toBe(202);
    expect(
      (await lambda.invoke({ FunctionName: 'price', InvocationType: InvocationType.DryRun })).StatusCode,
    ).toBe(204);
    expect(backlot.collection('aws:invocations').list()).toMatchObject([
      { function: 'price', type: 'RequestResponse', event: { item: 7 } },
      { function: 'echo' },
      { function: 'broken' },
      { function: 'price', type: 'Event', event: { n: 1 } },
    ]);
    expect((await lambda.listFunctions({})).Functions).toHaveLength(3);
    expect((await lambda.getFunction({ FunctionName: 'echo' })).Configuration).toMatchObject({
      FunctionName: 'echo',
    });
    const none = lambda.invoke({ FunctionName: 'none' });
    await expect(none).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(none).rejects.toThrow(
      'Function not found: arn:aws:lambda:us-east-1:000000000000:function:none',
    );
    await expect(lambda.invoke({ FunctionName: 'echo', Payload: '{' })).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
    });
  });
});

describe('all services at one address', () => {
  it('have S3 as well', async () => {
    const s3 = closing(new S3(options()));
    await s3.createBucket({ Bucket: 'docs' });
    await s3.putObject({ Bucket: 'docs', Key: 'a/b.txt', Body: 'text' });
    expect(await (await s3.getObject({ Bucket: 'docs', Key: 'a/b.txt' })).Body?.transformToString()).toBe(
      'text',
    );
    expect((await s3.listBuckets({})).Buckets).toMatchObject([{ Name: 'docs' }]);
    await expect(s3.getObject({ Bucket: 'docs', Key: 'none' })).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('are found by AWS_ENDPOINT_URL alone', async () => {
    const before = { ...process.env };
    Object.assign(process.env, backlot.env);
    try {
      expect((await closing(new STS()).getCallerIdentity({})).Account).toBe('000000000000');
      expect((await closing(new SQS()).listQueues({})).QueueUrls ?? []).toEqual([]);
      expect((await closing(new S3()).listBuckets({})).Buckets ?? []).toEqual([]);
    } finally {
      for (const name of Object.keys(backlot.env)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  const CALLS = (attempts = 1): readonly (readonly [string, () => Promise<unknown>])[] => {
    const given = options(attempts);
    return [
      ['s3', () => closing(new S3(given)).listBuckets({})],
      ['sqs', () => closing(new SQS(given)).listQueues({})],
      ['sns', () => closing(new SNS(given)).listTopics({})],
      ['dynamodb', () => closing(new DynamoDB(given)).listTables({})],
      ['secretsmanager', () => closing(new SecretsManager(given)).listSecrets({})],
      ['ses', () => closing(new SES(given)).listIdentities({})],
      ['sesv2', () => closing(new SESv2(given)).listEmailIdentities({})],
      ['sts', () => closing(new STS(given)).getCallerIdentity({})],
      ['lambda', () => closing(new Lambda(given)).listFunctions({})],
    ];
  };

  const namesOf = async (): Promise<Record<string, string>> => {
    const names: Record<string, string> = {};
    for (const [service, call] of CALLS())
      names[service] = await call().then(
        () => 'no error',
        (error: Error) => error.name,
      );
    return names;
  };

  it('are throttled, each in its own way', async () => {
    backlot.scenarios.activate('aws:throttled');
    expect(await namesOf()).toEqual({
      s3: 'SlowDown',
      sqs: 'RequestThrottled',
      sns: expect.stringMatching(/^Thrott/),
      dynamodb: 'ThrottlingException',
      secretsmanager: 'ThrottlingException',
      ses: 'Throttling',
      sesv2: 'TooManyRequestsException',
      sts: 'Throttling',
      lambda: 'TooManyRequestsException',
    });
  });

  it('are down', async () => {
    backlot.scenarios.activate('aws:outage');
    expect(await namesOf()).toEqual({
      s3: 'ServiceUnavailable',
      sqs: 'InternalFailure',
      sns: 'InternalFailure',
      dynamodb: 'InternalServerError',
      secretsmanager: 'InternalServiceError',
      ses: 'InternalFailure',
      sesv2: 'InternalServiceErrorException',
      sts: 'InternalFailure',
      lambda: 'ServiceException',
    });
  });

  it('know no access key, or one whose time is over', async () => {
    backlot.scenarios.activate('aws:wrong-credentials');
    expect(await namesOf()).toMatchObject({
      s3: 'InvalidAccessKeyId',
      sns: 'InvalidClientTokenId',
      dynamodb: 'UnrecognizedClientException',
      sts: 'InvalidClientTokenId',
      lambda: 'UnrecognizedClientException',
    });
    backlot.scenarios.deactivate('aws:wrong-credentials');
    backlot.scenarios.activate('aws:expired-token');
    expect(await namesOf()).toMatchObject({
      s3: 'ExpiredToken',
      sts: expect.stringMatching(/^ExpiredToken/),
      dynamodb: 'ExpiredTokenException',
      sesv2: 'ExpiredTokenException',
    });
  });

  it('have another time, to which SDKs adapt themselves', async () => {
    backlot.scenarios.activate('aws:clock-skew');
    expect(new Set(Object.values(await namesOf())).has('no error')).toBe(false);
    for (const [, call] of CALLS(2)) {
      const { $metadata } = (await call()) as { $metadata: { attempts?: number } };
      expect($metadata.attempts).toBe(2);
    }
  });

  it('tell which they are when another one is asked for', async () => {
    const answer = await fetch(backlot.env.AWS_ENDPOINT_URL, {
      method: 'POST',
      headers: {
        'X-Amz-Target': 'Kinesis_20131202.ListStreams',
        'Content-Type': 'application/x-amz-json-1.1',
      },
      body: '{}',
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { __type: 'UnknownOperationException', message: expect.stringContaining('dynamodb, lambda, s3') },
    ]);
    const wrong = await fetch(backlot.env.AWS_ENDPOINT_URL, {
      method: 'POST',
      headers: { 'X-Amz-Target': 'DynamoDB_20120810.ListTables' },
      body: 'no JSON',
    });
    expect(await wrong.json()).toMatchObject({ __type: expect.stringContaining('SerializationException') });
  });
});

describe('parameters of another type', () => {
  it.each([
    ['AmazonSQS.SendMessage', { QueueUrl: 5 }],
    ['AmazonSQS.SendMessageBatch', { QueueUrl: 'q', Entries: [null] }],
    ['AmazonSQS.SendMessage', { QueueUrl: 'q', MessageBody: 'x', MessageAttributes: { a: 5 } }],
    ['DynamoDB_20120810.BatchWriteItem', { RequestItems: { t: 'x' } }],
    ['DynamoDB_20120810.PutItem', { TableName: 't', Item: [] }],
    ['DynamoDB_20120810.TransactWriteItems', { TransactItems: [{ Put: 5 }] }],
    ['secretsmanager.TagResource', { SecretId: 's', Tags: { a: 'b' } }],
  ])('of %s are refused: %j', async (target, input) => {
    const answer = await fetch(backlot.env.AWS_ENDPOINT_URL, {
      method: 'POST',
      headers: { 'X-Amz-Target': target },
      body: JSON.stringify(input),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      {
        __type: expect.stringContaining('SerializationException'),
        message: expect.stringContaining('another type'),
      },
    ]);
  });

  it('of queries are refused, whatever their names', async () => {
    const ask = async (body: string): Promise<string> =>
      (await fetch(backlot.env.AWS_ENDPOINT_URL, { method: 'POST', body: new URLSearchParams(body) })).text();
    expect(await ask('Action=SendMessageBatch&QueueUrl=q&SendMessageBatchRequestEntry=5')).toContain(
      'SerializationException',
    );
    expect(await ask('Action=ListTopics&__proto__=5&a.__proto__.b=1&a.constructor=2')).toContain(
      '<ListTopicsResponse',
    );
  });
});

describe('other clients', () => {
  const env = (): Record<string, string> => ({ ...backlot.env, AWS_EC2_METADATA_DISABLED: 'true' });

  itWithTool('python3:boto3', 'boto3 uses all of them', async () => {
    backlot.collection('aws:functions').create({ id: 'echo', echo: true });
    const script = fileURLToPath(new URL('client.py', import.meta.url));
    const { out, err } = await runTool(PYTHON, [script, backlot.env.AWS_ENDPOINT_URL], { env: env() });
    expect([out.trim(), err]).toEqual(['done', '']);
  });

  itWithTool('/usr/bin/aws', 'the command of AWS sends and receives', async () => {
    const aws = async (...args: string[]): Promise<string> => {
      const given = ['--endpoint-url', backlot.env.AWS_ENDPOINT_URL, '--output', 'text', ...args];
      return (await runTool('/usr/bin/aws', given, { env: env() })).out.trim();
    };
    const url = await aws('sqs', 'create-queue', '--queue-name', 'cli');
    expect(url).toMatch(/\/cli$/);
    await aws('sqs', 'send-message', '--queue-url', url, '--message-body', 'hello');
    expect(await aws('sqs', 'receive-message', '--queue-url', url, '--query', 'Messages[].Body')).toBe(
      'hello',
    );
    expect(await aws('sts', 'get-caller-identity', '--query', 'Account')).toBe('000000000000');
  });
});
