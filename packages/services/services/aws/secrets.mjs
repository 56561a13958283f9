import { AwsError } from '../../aws/errors.mjs';

const DAY = 86_400_000;

function notFound() {
  return new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}

function invalid(message) {
  return new AwsError('InvalidParameterException', message);
}

/** A secret with all that it has; a row of a configuration may have `text` or `json` for its value. */
function viewOf(row, call) {
  const { text, json } = row;
  const versions =
    row.versions ??
    (text === undefined && json === undefined
      ? {}
      : {
          [`${row.id}-00000000-0000-0000-0000-000000000001`.slice(-36)]: {
            string: text ?? JSON.stringify(json),
            stages: ['AWSCURRENT'],
            created: row.created,
          },
        });
  return { arn: call.arn('secretsmanager', `secret:${row.id}-AbCdEf`), tags: [], ...row, versions };
}

function secretOf({ SecretId: id }, call, mayBeDeleted = false) {
  if (typeof id !== 'string' || id === '') throw invalid('You must provide a SecretId.');
  let row = call.find('secrets', id);
  // An ARN may come without the letters at its end.
  if (row === undefined && id.startsWith('arn:'))
    for (const one of call.rows('secrets').values()) {
      const { arn } = viewOf(one, call);
      if (arn === id || arn.slice(0, -7) === id) row = one;
    }
  if (row === undefined || (row.purged_at !== undefined && row.purged_at <= call.now)) throw notFound();
  if (row.deleted_at !== undefined && !mayBeDeleted)
    throw new AwsError(
      'InvalidRequestException',
      "You can't perform this operation on the secret because it was marked for deletion.",
    );
  return viewOf(row, call);
}

function keep(secret, call) {
  const { text: _text, json: _json, ...row } = secret;
  return call.put('secrets', { ...row, changed: call.now });
}

function valueOf({ SecretString: string, SecretBinary: binary }) {
  if (string !== undefined && binary !== undefined)
    throw invalid(
      "You can't specify both a binary secret value and a string secret value in the same secret.",
    );
  return string !== undefined ? { string } : binary !== undefined ? { binary } : undefined;
}

/** Adds a version; the one that was current is the previous one now. */
function withVersion(secret, value, id, stages, call) {
  const versions = { ...secret.versions };
  const there = versions[id];
  if (there !== undefined && (there.string !== value.string || there.binary !== value.binary))
    throw new AwsError(
      'ResourceExistsException',
      `The operation failed because the secret version ${id} already exists with another value.`,
    );
  const strip = (stage) => {
    for (const [name, one] of Object.entries(versions))
      versions[name] = { ...one, stages: one.stages.filter((given) => given !== stage) };
  };
  const current = Object.entries(versions).find(([, one]) => one.stages.includes('AWSCURRENT'))?.[0];
  if (stages.includes('AWSCURRENT') && current !== undefined && current !== id) {
    strip('AWSPREVIOUS');
    versions[current] = { ...versions[current], stages: [...versions[current].stages, 'AWSPREVIOUS'] };
  }
  for (const stage of stages) strip(stage);
  versions[id] = { ...value, stages, created: call.now };
  return { ...secret, versions };
}

function described(secret, call) {
  const { id, arn, description, kms_key: kms, tags, created, changed, deleted_at: deleted } = secret;
  return {
    ARN: arn,
    Name: id,
    Description: description,
    KmsKeyId: kms,
    CreatedDate: seconds(created ?? call.now),
    LastChangedDate: seconds(changed ?? created ?? call.now),
    DeletedDate: deleted === undefined ? undefined : seconds(deleted),
    Tags: tags,
  };
}

function stagesOf({ versions }) {
  return Object.fromEntries(
    Object.entries(versions)
      .filter(([, { stages }]) => stages.length > 0)
      .map(([id, { stages }]) => [id, stages]),
  );
}

function seconds(time) {
  return (typeof time === 'string' ? Date.parse(time) : time) / 1000;
}

function read(
  secret,
  { VersionId: version, VersionStage: stage = version === undefined ? 'AWSCURRENT' : undefined },
) {
  const found = Object.entries(secret.versions).find(
    ([id, { stages }]) =>
      (version === undefined || id === version) && (stage === undefined || stages.includes(stage)),
  );
  if (found === undefined)
    throw new AwsError(
      'ResourceNotFoundException',
      version === undefined
        ? `Secrets Manager can't find the specified secret value for staging label: ${stage}`
        : `Secrets Manager can't find the specified secret value for VersionId: ${version}`,
    );
  const [id, { string, binary, stages, created }] = found;
  return {
    ARN: secret.arn,
    Name: secret.id,
    VersionId: id,
    SecretString: string,
    SecretBinary: binary,
    VersionStages: stages,
    CreatedDate: seconds(created ?? 0),
  };
}

const FILTERS = {
  name: ({ id }, text) => id.startsWith(text),
  description: ({ description = '' }, text) => description.includes(text),
  'tag-key': ({ tags }, text) => tags.some(({ Key }) => Key.startsWith(text)),
  'tag-value': ({ tags }, text) => tags.some(({ Value }) => Value.startsWith(text)),
};

function listed({ Filters: filters = [], IncludePlannedDeletion: all = false }, call) {
  return call
    .rows('secrets')
    .list()
    .map((row) => viewOf(row, call))
    .filter(
      ({ deleted_at: deleted, purged_at: purged }) => (deleted === undefined || all) && !(purged <= call.now),
    )
    .filter((secret) =>
      filters.every(({ Key: key, Values: values = [] }) => {
        if (!Object.hasOwn(FILTERS, key))
          throw invalid(
            `The filter ${String(key)} is not mocked; these are: ${Object.keys(FILTERS).join(', ')}.`,
          );
        return values.some((text) =>
          text.startsWith('!') ? !FILTERS[key](secret, text.slice(1)) : FILTERS[key](secret, text),
        );
      }),
    );
}

function paged(all, { MaxResults: limit = 100, NextToken: token = '0' }) {
  const start = Number(token);
  if (!Number.isInteger(start))
    throw new AwsError('InvalidNextTokenException', 'The NextToken value is invalid.');
  const end = start + limit;
  return { items: all.slice(start, end), NextToken: end < all.length ? String(end) : undefined };
}

export const operations = {
  CreateSecret(input, call) {
    const {
      Name: id,
      ClientRequestToken: token = call.uuid(),
      Description: description,
      KmsKeyId: kms,
    } = input;
    if (!/^[\w/+=.@-]{1,512}$/.test(id ?? ''))
      throw invalid(
        'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
      );
    const there = call.find('secrets', id);
    if (there !== undefined && !(there.purged_at <= call.now))
      throw there.deleted_at === undefined
        ? new AwsError(
            'ResourceExistsException',
            `The operation failed because the secret ${id} already exists.`,
          )
        : new AwsError(
            'InvalidRequestException',
            "You can't create this secret because a secret with this name is already scheduled for deletion.",
          );
    const value = valueOf(input);
    const secret = {
      ...{ id, description, tags: input.Tags ?? [], created: call.now },
      ...(kms === undefined ? {} : { kms_key: kms }),
      arn: call.arn('secretsmanager', `secret:${id}-${call.token(6)}`),
      versions: {},
    };
    const made = keep(
      value === undefined ? secret : withVersion(secret, value, token, ['AWSCURRENT'], call),
      call,
    );
    return { ARN: made.arn, Name: id, VersionId: value === undefined ? undefined : token };
  },
  GetSecretValue: (input, call) => read(secretOf(input, call), input),
  BatchGetSecretValue(input, call) {
    const { SecretIdList: ids } = input;
    const SecretValues = [];
    const Errors = [];
    for (const id of ids ?? listed(input, call).map((secret) => secret.id)) {
      try {
        SecretValues.push(read(secretOf({ SecretId: id }, call), {}));
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        Errors.push({ SecretId: id, ErrorCode: error.code, Message: error.message });
      }
    }
    return { SecretValues, Errors };
  },
  PutSecretValue(input, call) {
    const { ClientRequestToken: token = call.uuid(), VersionStages: stages = ['AWSCURRENT'] } = input;
    const value = valueOf(input);
    if (value === undefined) throw invalid('You must provide either SecretString or SecretBinary.');
    const secret = keep(withVersion(secretOf(input, call), value, token, stages, call), call);
    return { ARN: secret.arn, Name: secret.id, VersionId: token, VersionStages: stages };
  },
  UpdateSecret(input, call) {
    const { ClientRequestToken: token = call.uuid(), Description: description, KmsKeyId: kms } = input;
    const value = valueOf(input);
    const secret = {
      ...secretOf(input, call),
      ...(description === undefined ? {} : { description }),
      ...(kms === undefined ? {} : { kms_key: kms }),
    };
    const made = keep(
      value === undefined ? secret : withVersion(secret, value, token, ['AWSCURRENT'], call),
      call,
    );
    return { ARN: made.arn, Name: made.id, VersionId: value === undefined ? undefined : token };
  },
  DescribeSecret(input, call) {
    const secret = secretOf(input, call, true);
    return { ...described(secret, call), VersionIdsToStages: stagesOf(secret) };
  },
  ListSecrets(input, call) {
    const { items, NextToken } = paged(listed(input, call), input);
    const SecretList = items.map((secret) => ({
      ...described(secret, call),
      SecretVersionsToStages: stagesOf(secret),
    }));
    return { SecretList, NextToken };
  },
  ListSecretVersionIds(input, call) {
    const { arn, id, versions } = secretOf(input, call);
    const all = Object.entries(versions).filter(
      ([, one]) => one.stages.length > 0 || input.IncludeDeprecated === true,
    );
    const { items, NextToken } = paged(all, input);
    const Versions = items.map(([VersionId, { stages, created }]) => ({
      VersionId,
      VersionStages: stages,
      CreatedDate: seconds(created ?? 0),
    }));
    return { ARN: arn, Name: id, Versions, NextToken };
  },
  UpdateSecretVersionStage(input, call) {
    const { VersionStage: stage, RemoveFromVersionId: from, MoveToVersionId: to } = input;
    const secret = secretOf(input, call);
    const versions = { ...secret.versions };
    const owner = Object.keys(versions).find((id) => versions[id].stages.includes(stage));
    if (owner !== undefined && owner !== from)
      throw invalid(
        `The parameter RemoveFromVersionId can't be empty. Staging label ${stage} is currently attached to version ${owner}, so you must explicitly reference that version in RemoveFromVersionId.`,
      );
    if (to !== undefined && versions[to] === undefined) throw notFound();
    if (owner !== undefined)
      versions[owner] = { ...versions[owner], stages: versions[owner].stages.filter((one) => one !== stage) };
    if (to !== undefined) versions[to] = { ...versions[to], stages: [...versions[to].stages, stage] };
    keep({ ...secret, versions }, call);
    return { ARN: secret.arn, Name: secret.id };
  },
  DeleteSecret(input, call) {
    const { ForceDeleteWithoutRecovery: isForced = false, RecoveryWindowInDays: days = 30 } = input;
    if (!isForced && (days < 7 || days > 30))
      throw invalid('The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).');
    const secret = secretOf(input, call, true);
    const deleted = isForced ? call.now : call.now + days * DAY;
    if (isForced) call.rows('secrets').remove(secret.id);
    else keep({ ...secret, deleted_at: deleted, purged_at: deleted }, call);
    return { ARN: secret.arn, Name: secret.id, DeletionDate: seconds(deleted) };
  },
  RestoreSecret(input, call) {
    const { deleted_at: _deleted, purged_at: _purged, ...secret } = secretOf(input, call, true);
    keep(secret, call);
    return { ARN: secret.arn, Name: secret.id };
  },
  TagResource(input, call) {
    const secret = secretOf(input, call);
    const { Tags: tags = [] } = input;
    const names = tags.map(({ Key }) => Key);
    keep({ ...secret, tags: [...secret.tags.filter(({ Key }) => !names.includes(Key)), ...tags] }, call);
  },
  UntagResource(input, call) {
    const secret = secretOf(input, call);
    keep({ ...secret, tags: secret.tags.filter(({ Key }) => !(input.TagKeys ?? []).includes(Key)) }, call);
  },
  GetRandomPassword(input, call) {
    const { PasswordLength: length = 32, ExcludeCharacters: excluded = '' } = input;
    if (!Number.isInteger(length) || length < 4 || length > 4096)
      throw invalid('The password length must be between 4 and 4096 characters.');
    const kinds = [
      ['ExcludeLowercase', 'abcdefghijklmnopqrstuvwxyz'],
      ['ExcludeUppercase', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
      ['ExcludeNumbers', '0123456789'],
      ['ExcludePunctuation', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ].flatMap(([name, letters]) => {
      const left = [...letters].filter((one) => !excluded.includes(one));
      return input[name] === true || left.length === 0 ? [] : [left];
    });
    if (kinds.length === 0) throw invalid('The parameters exclude all characters.');
    const all = [...kinds.flat(), ...(input.IncludeSpace === true ? [' '] : [])];
    const pick = (letters) => letters[call.context.random.int(0, letters.length - 1)];
    const isEach = input.RequireEachIncludedType !== false;
    const letters = Array.from({ length }, (_, index) => pick(isEach ? (kinds[index] ?? all) : all));
    return { RandomPassword: letters.join('') };
  },
};
